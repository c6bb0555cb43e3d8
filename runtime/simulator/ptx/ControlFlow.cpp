#include "runtime/simulator/ptx/ControlFlow.h"

#include "dialect/formats/Error.h"

#include <algorithm>
#include <utility>

namespace mxc::sim::ptx {

std::span<const uint32_t> targetsOf(const Function &function, const Instruction &instruction) {
  if (instruction.opcode == "bra" && !instruction.operands.empty())
    return {&instruction.operands[0].target, 1};
  if (instruction.opcode != "brx" || instruction.operands.size() < 2) return {};
  const Operand &list = instruction.operands[1]; // or a label, which is no list
  bool isList =
      list.target < function.targetLists.size() && function.targetLists[list.target].name == list.name;
  return isList ? std::span<const uint32_t>(function.targetLists[list.target].targets)
                : std::span<const uint32_t>();
}

namespace {

bool leaves(const Instruction &instruction) { // the function
  return instruction.opcode == "ret" || instruction.opcode == "exit" || instruction.opcode == "trap";
}

struct Block {
  uint32_t begin = 0, end = 0;                    // instructions
  std::vector<uint32_t> successors, predecessors; // blocks; the exit is the last block
};

class Graph {
public:
  explicit Graph(const Function &function)
      : function_(function), count_(uint32_t(function.instructions.size())) {
    cut();
    connect();
    order();
    dominate();
  }

  std::vector<uint32_t> points() const {
    std::vector<uint32_t> points(count_, kAtExit);
    for (uint32_t block = 0; block + 1 < blocks_.size(); ++block) {
      uint32_t last = blocks_[block].end - 1;
      if (targetsOf(function_, function_.instructions[last]).empty()) continue;
      uint32_t meeting = postDominator_[block];
      if (meeting != kUnknown && meeting != exitBlock()) points[last] = blocks_[meeting].begin;
    }
    return points;
  }

private:
  static constexpr uint32_t kUnknown = ~0u;
  static constexpr uint64_t kMostLinks = uint64_t(1)
                                         << 24; // tables of targets, times the branches that name them
  uint32_t exitBlock() const { return uint32_t(blocks_.size() - 1); }

  void cut() {
    std::vector<bool> begins(count_ + 1);
    begins[0] = true;
    for (uint32_t i = 0; i < count_; ++i) {
      const Instruction &instruction = function_.instructions[i];
      std::span<const uint32_t> targets = targetsOf(function_, instruction);
      for (uint32_t target : targets)
        begins[std::min(target, count_)] = true;
      if (!targets.empty() || leaves(instruction)) begins[i + 1] = true;
    }
    blockOf_.resize(count_ + 1);
    for (uint32_t i = 0; i < count_; ++i) {
      if (begins[i]) blocks_.push_back({i, i, {}, {}});
      blocks_.back().end = i + 1;
      blockOf_[i] = uint32_t(blocks_.size() - 1);
    }
    blocks_.push_back({count_, count_, {}, {}});
    blockOf_[count_] = exitBlock();
  }

  void link(uint32_t from, uint32_t to) {
    if (++links_ > kMostLinks)
      throw Error(ErrorKind::InvalidInput, "function '" + function_.name + "': its branches have more than " +
                                               std::to_string(kMostLinks) + " targets");
    blocks_[from].successors.push_back(to);
    blocks_[to].predecessors.push_back(from);
  }

  void connect() {
    for (uint32_t block = 0; block < exitBlock(); ++block) {
      const Instruction &last = function_.instructions[blocks_[block].end - 1];
      std::span<const uint32_t> targets = targetsOf(function_, last);
      for (uint32_t target : targets)
        link(block, blockOf_[std::min(target, count_)]);
      if (leaves(last)) link(block, exitBlock());
      bool continues = last.guard || (targets.empty() && !leaves(last));
      if (continues) link(block, blockOf_[blocks_[block].end]);
    }
  }

  /// Blocks in depth-first order of the reversed graph, from the exit; 0 is the exit's number. Endless loops
  /// reach no exit; they stay without a number.
  void order() {
    number_.assign(blocks_.size(), kUnknown);
    std::vector<std::pair<uint32_t, size_t>> stack;
    auto visit = [&](uint32_t block, uint32_t parent) {
      number_[block] = uint32_t(blockAt_.size());
      blockAt_.push_back(block), parent_.push_back(parent);
      stack.emplace_back(block, 0);
    };
    visit(exitBlock(), 0);
    while (!stack.empty()) {
      auto &[block, next] = stack.back();
      if (next == blocks_[block].predecessors.size()) {
        stack.pop_back();
        continue;
      }
      uint32_t predecessor = blocks_[block].predecessors[next++];
      if (number_[predecessor] == kUnknown) visit(predecessor, number_[block]);
    }
  }

  /// On the way from `v` to the root of its tree the number with the least semi-dominator; the way gets
  /// shorter.
  uint32_t evaluate(uint32_t v) {
    if (ancestor_[v] == kUnknown) return v;
    path_.clear();
    for (; ancestor_[ancestor_[v]] != kUnknown; v = ancestor_[v])
      path_.push_back(v);
    for (; !path_.empty(); path_.pop_back()) {
      const uint32_t above = v;
      v = path_.back();
      if (semi_[least_[above]] < semi_[least_[v]]) least_[v] = least_[above];
      ancestor_[v] = ancestor_[above];
    }
    return least_[v];
  }

  /// Lengauer, Tarjan: "A Fast Algorithm for Finding Dominators in a Flowgraph" (the simple version), on the
  /// reversed graph: never more than m log n steps, whatever the text.
  void dominate() {
    const uint32_t count = uint32_t(blockAt_.size());
    std::vector<uint32_t> dominator(count);
    std::vector<std::vector<uint32_t>> dominated(count); // by semi-dominator
    ancestor_.assign(count, kUnknown);
    for (uint32_t i = 0; i < count; ++i)
      semi_.push_back(i), least_.push_back(i);
    for (uint32_t w = count; w-- > 1;) {
      for (uint32_t successor : blocks_[blockAt_[w]].successors)
        if (number_[successor] != kUnknown)
          semi_[w] = std::min(semi_[w], semi_[evaluate(number_[successor])]);
      dominated[semi_[w]].push_back(w);
      ancestor_[w] = parent_[w];
      for (uint32_t v : std::exchange(dominated[parent_[w]], {})) {
        const uint32_t u = evaluate(v);
        dominator[v] = semi_[u] < semi_[v] ? u : parent_[w];
      }
    }
    postDominator_.assign(blocks_.size(), kUnknown);
    for (uint32_t w = 1; w < count; ++w) {
      if (dominator[w] != semi_[w]) dominator[w] = dominator[dominator[w]];
      postDominator_[blockAt_[w]] = blockAt_[dominator[w]];
    }
  }

  const Function &function_;
  uint32_t count_;
  std::vector<Block> blocks_;
  uint64_t links_ = 0;
  std::vector<uint32_t> blockOf_, number_, postDominator_;
  std::vector<uint32_t> blockAt_, parent_, semi_, least_, ancestor_, path_; // by number
};

} // namespace

std::vector<uint32_t> reconvergencePoints(const Function &function) {
  if (function.instructions.empty()) return {};
  return Graph(function).points();
}

} // namespace mxc::sim::ptx
