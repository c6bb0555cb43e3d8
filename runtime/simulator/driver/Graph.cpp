#include "runtime/simulator/driver/Graph.h"

#include "runtime/simulator/driver/Simulator.h"

#include <algorithm>
#include <deque>
#include <map>

namespace mxc::sim {

std::shared_ptr<Graph> graphOf(CUgraph handle) {
  auto found = Simulator::instance().graphs.find(handle);
  require(found != nullptr);
  return found;
}

std::shared_ptr<GraphNode> nodeOf(CUgraphNode handle) {
  auto found = Simulator::instance().graphNodes.find(handle);
  require(found && !found->graph.expired());
  return found;
}

Graph::~Graph() {
  for (const std::shared_ptr<GraphNode> &node : nodes)
    Simulator::instance().graphNodes.remove(node->handle);
}

void Graph::checkHolds(CUgraphNode node) const {
  auto found = Simulator::instance().graphNodes.find(node);
  require(found && found->graph.lock().get() == this);
}

std::shared_ptr<GraphNode> Graph::add(Work work, std::vector<CUgraphNode> dependencies) {
  constexpr unsigned kDeepest = 256; // each level is a call within a call when the graph runs
  require(work.depth <= kDeepest, CUDA_ERROR_OUT_OF_MEMORY);
  for (CUgraphNode dependency : dependencies)
    checkHolds(dependency);
  auto node = std::make_shared<GraphNode>();
  node->work = std::move(work), node->dependencies = std::move(dependencies);
  node->graph = weak_from_this();
  Simulator::instance().graphNodes.add(node);
  return nodes.emplace_back(std::move(node));
}

std::vector<std::shared_ptr<GraphNode>> Graph::ordered() const {
  std::map<CUgraphNode, std::vector<size_t>> waiting; // of each node: those that wait for it
  std::vector<size_t> missing(nodes.size());
  std::deque<size_t> ready;
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (CUgraphNode dependency : nodes[i]->dependencies)
      waiting[dependency].push_back(i);
    missing[i] = nodes[i]->dependencies.size();
    if (!missing[i]) ready.push_back(i);
  }
  std::vector<std::shared_ptr<GraphNode>> order;
  for (; !ready.empty(); ready.pop_front()) {
    order.push_back(nodes[ready.front()]);
    for (size_t next : waiting[order.back()->handle])
      if (!--missing[next]) ready.push_back(next);
  }
  require(order.size() == nodes.size());
  return order;
}

std::vector<GraphExecutable::Step> stepsOf(const Graph &graph) {
  std::vector<GraphExecutable::Step> steps;
  for (const std::shared_ptr<GraphNode> &node : graph.ordered())
    steps.push_back({node->handle, node->work});
  return steps;
}

Work childOf(std::shared_ptr<const GraphExecutable> executable) {
  unsigned depth = 1;
  for (const GraphExecutable::Step &step : executable->steps)
    depth = std::max(depth, step.work.depth + 1);
  return {CU_GRAPH_NODE_TYPE_GRAPH, [executable] { return executable->run(); }, nullptr, depth};
}

CUresult GraphExecutable::run() const {
  for (const Step &step : steps) {
    if (context->isBroken()) break;
    if (CUresult result = step.work.run()) return result; // memory that was freed since
  }
  return CUDA_SUCCESS;
}

} // namespace mxc::sim
