#include "runtime/simulator/machine/FaultPlace.h"

#include "runtime/simulator/machine/GridState.h"
#include "runtime/simulator/machine/PlacedModule.h"

namespace mxc::sim {

void placeFault(Fault &fault, const Warp &warp) {
  if (!fault.kernel.empty()) return; // placed already
  const Program &program = *warp.cta->cluster->grid->program;
  fault.kernel = program.function->name;
  fault.cta = warp.cta->position;
  fault.warp = int(warp.index);
  if (fault.lane >= 0) fault.thread = threadOf(warp, fault.lane);
  if (!fault.line && warp.current < warp.splits.size()) {
    const ptx::Instruction *source = program.instructions[warp.splits[warp.current].pc].source;
    fault.line = source->place.line, fault.column = source->place.column;
  }
  if (fault.line) fault.instruction = program.module->line(fault.line);
}

} // namespace mxc::sim
