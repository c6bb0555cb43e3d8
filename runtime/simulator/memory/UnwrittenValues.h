// Values that nobody wrote: of shared and global memory with standard checks, of registers and local memory
// with strict ones. Reading one is no fault: pipelines fetch one tile too far and never use it, and compilers
// copy the padding of structs. The destination's lanes carry the mark, whatever is computed from them carries
// it too, and so does shared and local memory that they are stored to; the fault is where such a value
// matters: in an address, a guard, a branch, an operand of a tensor core, or in memory outside.
//
// With strict checks so do values of global memory that another warp wrote with no order (GlobalOrder.h):
// what a racing load finds is not defined, which matters where somebody uses it.
//
// Only a warp that holds such a value pays for this.
#pragma once

#include "runtime/simulator/machine/Warp.h"

namespace mxc::sim {

enum class UnwrittenPlace : uint8_t { Shared, Global, Local, Register };

/// Where a value came from, for the report.
struct UnwrittenSource {
  const Instruction *read = nullptr;
  uint64_t address = 0; // of the first lane that found nothing; not of a register
  UnwrittenPlace place = UnwrittenPlace::Shared;
  std::shared_ptr<const std::string> race =
      nullptr;          // somebody wrote it, but with no order: GlobalOrder.h says this
  bool mayPad() const { // a struct, beside what somebody wrote
    return place == UnwrittenPlace::Local || place == UnwrittenPlace::Register;
  }
};

/// The marks of a warp: by row offset / 64, as Warp::written.
struct UnwrittenValues {
  std::vector<uint32_t> lanes;          // which hold an unwritten value
  std::vector<UnwrittenSource> sources; // of a row with some
  uint32_t rows = 0;                    // with some
};

/// A load has found, in those lanes (not 0), what nobody wrote, and put it into the row.
void holdUnwritten(Warp &warp, uint32_t row, uint32_t lanes, UnwrittenSource source);

/// A load has found bytes that nobody wrote in `found` lanes: those of an element that find nothing else in
/// it. The padding of a struct is written with what lies beside it.
uint32_t lanesWithNothing(Warp &warp, ptx::Space space, const uint64_t *addresses, uint32_t found,
                          uint32_t offset, uint32_t bytes);

/// Checks::Strict: marks the registers that an instruction reads and nobody wrote. Throws FaultError
/// (Unwritten) if its guard is one.
void holdUnwrittenReads(Warp &warp, const Instruction &i);

/// Executes an instruction in a warp with Warp::holdsUnwritten. Throws FaultError (Unwritten).
Outcome executeWithUnwritten(Warp &warp, const Instruction &i);

/// The executing lanes whose register holds an unwritten value.
uint32_t unwrittenLanes(const Warp &warp, uint32_t row);
/// Throws FaultError (Unwritten) if there are `lanes`: "..: it reaches `where`".
void requireNone(const Warp &warp, uint32_t row, uint32_t lanes, const std::string &where);

/// Those lanes of a register get a value that somebody wrote, outside of an instruction's own writes.
void noteWritten(Warp &warp, Row row, uint32_t lanes);

/// A guard decides for those lanes: it must not be unwritten.
void requireGuard(const Warp &warp, uint32_t row, uint32_t lanes);

/// One element of every executing lane goes from a row to addresses[lane] + offset: shared and local memory
/// forget that they were written, and memory outside must not get it. In the lanes `beside`, which store
/// something written in the same vector, it is padding, of which local memory alone keeps account. After the
/// store's own checks.
void storeUnwritten(Warp &warp, uint32_t row, ptx::Space space, const uint64_t *addresses, uint32_t offset,
                    uint32_t bytes, uint32_t beside);

} // namespace mxc::sim
