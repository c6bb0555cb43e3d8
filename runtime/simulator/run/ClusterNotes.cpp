// What a cluster's run leaves in report/Timeline and report/Features.
#include "runtime/simulator/report/TimelineFile.h"
#include "runtime/simulator/run/ClusterRun.h"

namespace mxc::sim {

void ClusterRun::noteSpelling(const Instruction &i, uint32_t pc) {
  if (!i.source || executedOnce_[pc]) return;
  executedOnce_[pc] = true;
  cluster_->features->add("instruction " + i.source->spelling());
}

void ClusterRun::noteExecution(const Warp &warp, const Instruction &i) {
  const std::string &opcode = grid_.program->opcodes[i.opcode].name;
  const Counted counted = i.counted;
  const bool isTelling = (counted == Counted::Memory && !opcode.ends_with(".param")) ||
                         counted == Counted::Copy || counted == Counted::Tensor ||
                         counted == Counted::Synchronization || counted == Counted::Atomic;
  cluster_->timeline->execute(warp.cta->rank, warp.index, opcode, isTelling,
                              i.source ? i.source->place.line : 0);
}

void ClusterRun::noteWait(const Warp &warp, const Instruction &i) {
  const Wait &wait = warp.wait;
  std::string what = wait.what + (wait.detail ? " " + std::to_string(wait.detail) : "");
  if (wait.kind == Wait::Kind::Mbarrier)
    what = cluster_->timeline->nameOf(uint32_t(wait.address)) + ", parity " + std::to_string(wait.detail);
  if (wait.kind == Wait::Kind::NamedBarrier) what = "bar.sync " + std::to_string(wait.address);
  if (wait.kind == Wait::Kind::ClusterBarrier) what = "barrier.cluster";
  if (wait.kind == Wait::Kind::Lanes) what = "other lanes";
  cluster_->timeline->wait(warp.cta->rank, warp.index, "wait: " + what, i.source ? i.source->place.line : 0);
}

/// Whatever came of the cluster: also of one that ended in a fault.
void ClusterRun::writeTimeline() noexcept {
  try {
    std::vector<std::array<uint32_t, 3>> positions;
    for (const auto &cta : cluster_->ctas)
      positions.push_back(cta->position);
    grid_.timelineFile->add(cluster_->timeline->tracks(), positions);
  } catch (const std::exception &) { // the host's memory
    grid_.timelineFile->fail();
  }
}

} // namespace mxc::sim
