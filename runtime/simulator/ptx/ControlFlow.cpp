#include "runtime/simulator/ptx/ControlFlow.h"

#include <algorithm>

namespace mxc::sim::ptx {

namespace {

bool leaves(const Instruction &instruction) { // the function
  return instruction.opcode == "ret" || instruction.opcode == "exit" || instruction.opcode == "trap";
}

std::vector<uint32_t> targetsOf(const Function &function, const Instruction &instruction) {
  if (instruction.opcode == "bra" && !instruction.operands.empty()) return {instruction.operands[0].target};
  if (instruction.opcode != "brx" || instruction.operands.size() < 2) return {};
  for (const TargetList &list : function.targetLists)
    if (list.name == instruction.operands[1].name) return list.targets;
  return {};
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
  uint32_t exitBlock() const { return uint32_t(blocks_.size() - 1); }

  void cut() {
    std::vector<bool> begins(count_ + 1);
    begins[0] = true;
    for (uint32_t i = 0; i < count_; ++i) {
      const Instruction &instruction = function_.instructions[i];
      std::vector<uint32_t> targets = targetsOf(function_, instruction);
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
    blocks_[from].successors.push_back(to);
    blocks_[to].predecessors.push_back(from);
  }

  void connect() {
    for (uint32_t block = 0; block < exitBlock(); ++block) {
      const Instruction &last = function_.instructions[blocks_[block].end - 1];
      std::vector<uint32_t> targets = targetsOf(function_, last);
      for (uint32_t target : targets)
        link(block, blockOf_[std::min(target, count_)]);
      if (leaves(last)) link(block, exitBlock());
      bool continues = last.guard || (targets.empty() && !leaves(last));
      if (continues) link(block, blockOf_[blocks_[block].end]);
    }
  }

  /// Blocks in post-order of the reversed graph. Endless loops reach no exit; they stay without a
  /// post-dominator.
  void order() {
    number_.assign(blocks_.size(), kUnknown);
    std::vector<std::pair<uint32_t, size_t>> stack{{exitBlock(), 0}};
    std::vector<bool> seen(blocks_.size());
    seen[exitBlock()] = true;
    while (!stack.empty()) {
      auto &[block, next] = stack.back();
      if (next < blocks_[block].predecessors.size()) {
        uint32_t predecessor = blocks_[block].predecessors[next++];
        if (!seen[predecessor]) {
          seen[predecessor] = true;
          stack.emplace_back(predecessor, 0);
        }
        continue;
      }
      number_[block] = uint32_t(postOrder_.size());
      postOrder_.push_back(block);
      stack.pop_back();
    }
  }

  uint32_t meet(uint32_t a, uint32_t b) const {
    while (a != b) {
      while (number_[a] < number_[b])
        a = postDominator_[a];
      while (number_[b] < number_[a])
        b = postDominator_[b];
    }
    return a;
  }

  /// Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm", on the reversed graph.
  void dominate() {
    postDominator_.assign(blocks_.size(), kUnknown);
    postDominator_[exitBlock()] = exitBlock();
    for (bool changed = true; changed;) {
      changed = false;
      for (auto block = postOrder_.rbegin(); block != postOrder_.rend(); ++block) {
        if (*block == exitBlock()) continue;
        uint32_t found = kUnknown;
        for (uint32_t successor : blocks_[*block].successors)
          if (postDominator_[successor] != kUnknown)
            found = found == kUnknown ? successor : meet(found, successor);
        if (found == postDominator_[*block]) continue;
        postDominator_[*block] = found;
        changed = true;
      }
    }
  }

  const Function &function_;
  uint32_t count_;
  std::vector<Block> blocks_;
  std::vector<uint32_t> blockOf_, number_, postOrder_, postDominator_;
};

} // namespace

std::vector<uint32_t> reconvergencePoints(const Function &function) {
  if (function.instructions.empty()) return {};
  return Graph(function).points();
}

} // namespace mxc::sim::ptx
