// Graphs: nodes of work and what they wait for, made by captures or node by node.
#pragma once

#include "runtime/simulator/driver/Context.h"
#include "runtime/simulator/driver/LoadedImage.h"

#include <functional>
#include <vector>

namespace mxc::sim {

/// A launch, as a kernel node tells of it.
struct KernelCall {
  std::shared_ptr<Function> function;
  std::shared_ptr<LoadedImage> image; // the function's, which it keeps
  Launch launch;
  std::vector<void *> arguments; // into launch.parameters
};

/// One piece of work. Addresses and values are those of the moment it was enqueued.
struct Work {
  CUgraphNodeType type;
  std::function<CUresult()> run;
  std::shared_ptr<const KernelCall> kernel = nullptr; // of a kernel's
  unsigned depth = 0;                                 // of graphs within it
};

struct Graph;

struct GraphNode {
  Work work;
  std::vector<CUgraphNode> dependencies;
  std::weak_ptr<Graph> graph;
  CUgraphNode handle = nullptr, original = nullptr; // original: of a clone's node
};

struct Graph : std::enable_shared_from_this<Graph> {
  std::vector<std::shared_ptr<GraphNode>> nodes; // in the order in which they were added
  std::shared_ptr<Context> context;
  CUgraph handle = nullptr;

  /// Throws Refusal: INVALID_VALUE for a dependency that is no node of this graph, OUT_OF_MEMORY where graphs
  /// within graphs are deeper than a stack of calls should be.
  std::shared_ptr<GraphNode> add(Work work, std::vector<CUgraphNode> dependencies);
  void checkHolds(CUgraphNode node) const; // throws likewise
  /// The nodes, each after those that it waits for. Throws Refusal (INVALID_VALUE): there is a cycle.
  std::vector<std::shared_ptr<GraphNode>> ordered() const;
  ~Graph();
};

struct GraphExecutable {
  struct Step {
    CUgraphNode node; // of the graph that it was made of
    Work work;
  };
  std::vector<Step> steps;
  std::shared_ptr<Context> context;
  CUgraphExec handle = nullptr;

  CUresult run() const; // ends where a fault ruins the context
};

/// Both throw Refusal (INVALID_VALUE), as libcuda says it, for a handle that is none.
std::shared_ptr<Graph> graphOf(CUgraph handle);
std::shared_ptr<GraphNode> nodeOf(CUgraphNode handle);

/// A graph's steps: what a launch of it does, as it is now.
std::vector<GraphExecutable::Step> stepsOf(const Graph &graph);

/// A graph as work of another.
Work childOf(std::shared_ptr<const GraphExecutable> executable);

} // namespace mxc::sim
