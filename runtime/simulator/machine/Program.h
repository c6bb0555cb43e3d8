// A kernel decoded for execution: instructions with handlers, and the layout of a warp's register file.
//
// The register file is one block of bytes a warp. A register is a row of 32 lanes in it; so are the
// immediates, the special registers and the addresses of variables that the kernel uses: a handler reads
// rows, whatever they are.
#pragma once

#include "runtime/simulator/machine/CheckRoles.h"
#include "runtime/simulator/machine/Launch.h"
#include "runtime/simulator/machine/SpecialValues.h"
#include "runtime/simulator/ptx/Ast.h"
#include "runtime/simulator/report/Counted.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace mxc::sim {

struct Warp;
struct Instruction;
struct PlacedModule;

inline constexpr uint32_t kNone = ~0u;
inline constexpr int kLanes = 32;

// Address windows. Shared addresses have 32 bits: CTA rank << 24 | offset; a CTA's variables begin at
// kSharedBase. A generic address of shared memory is the window's base + that, of local memory the window's
// base + the lane's offset, of a kernel parameter the window's base + its offset. Global addresses are what
// GlobalMemory says.
inline constexpr uint64_t kSharedWindow = uint64_t(0x10) << 32, kLocalWindow = uint64_t(0x11) << 32,
                          kParameterWindow = uint64_t(0x12) << 32, kWindowBytes = uint64_t(1) << 32;
inline constexpr uint32_t kSharedBase = 0x400, kSharedRankShift = 24;
/// A .param variable of a call lies in local memory: its address in the param space is this + the lane's
/// local offset.
inline constexpr uint64_t kCallParameter = uint64_t(1) << 31;
/// Function i of a module has the address kFunctionWindow + 16 * i.
inline constexpr uint64_t kFunctionWindow = uint64_t(0x13) << 32;

enum class Outcome : uint8_t {
  Next,    // go on after it
  Yield,   // go on after it, at the warp's next turn
  Jump,    // the handler has set the pc of the split, or parted its lanes
  Blocked, // must wait; the instruction is executed again. The handler has set Warp::wait
  Exit,    // the executing lanes are done
};
using Handler = Outcome (*)(Warp &, const Instruction &);

/// What a family keeps beside the operands.
struct InstructionData {
  virtual ~InstructionData() = default;
};

/// Where an operand lies: `bytes` of a lane, 0 for a predicate, which is one 32-bit mask of all lanes.
struct Row {
  uint32_t offset = 0, bytes = 4;
};

struct Address { // [base + displacement]
  Row base;      // 4 or 8 bytes a lane
  int64_t displacement = 0;
};

struct Instruction {
  Handler handler = nullptr;
  uint32_t guard = kNone; // row of a predicate
  bool isGuardNegated = false;
  Unwritten unwritten = Unwritten::Lanewise;
  Order order = Order::None;
  Counted counted = Counted::Other;
  uint8_t globalEffect = 0; // GlobalOrder.h
  uint8_t small[7]{};       // flags and counts, as the family likes
  uint32_t rows[6]{};       // operands, as the family likes: d, a, b, c ..
  int64_t immediate = 0;
  Address address;
  uint32_t target = kNone;        // of a branch
  uint32_t reconvergence = kNone; // where lanes that part here meet again; kNone: at the exit
  uint32_t opcode = 0;            // index into Program::opcodes
  std::unique_ptr<InstructionData> data;
  const ptx::Instruction *source = nullptr;
  std::vector<Row> reads, writes; // registers (not immediates), for the check of unwritten ones
};

/// A special register or a variable's address that is known when a warp starts.
struct WarpConstant {
  Row row;
  SpecialValue special = nullptr; // null: an address in the CTA's shared memory
  uint64_t offset = 0;            // of that
};

/// Bytes of a lane's local memory.
struct LocalRange {
  uint32_t offset = 0, bytes = 0;
};

/// Where a parameter or a result of a call lies: in a register, or in a lane's local memory.
struct ParameterPlace {
  Row row{0, 0}; // no bytes: it is `local`
  LocalRange local{};
  uint32_t bytes() const { return row.bytes ? row.bytes : local.bytes; }
};

/// A function in the program: what it owns, so that a call of a function that is active already can put it
/// aside.
struct FunctionPlace {
  const ptx::Function *function = nullptr;
  uint64_t address = 0; // kFunctionWindow + 16 * its number in the module
  uint32_t firstInstruction = 0;
  std::vector<Row> registers;
  LocalRange local;
  std::vector<ParameterPlace> parameters, returns;
};

/// What --stats counts: all instructions of this name.
struct CountedOpcode {
  std::string name; // "ld.global"
  Counted counted;
};

struct Program {
  const ptx::Function *function = nullptr;
  const PlacedModule *module = nullptr;
  KernelFacts facts;
  std::vector<Instruction> instructions; // of the kernel, then of every function that it calls
  std::vector<CountedOpcode> opcodes;
  std::vector<std::byte>
      registerImage; // initial rows: immediates and fixed addresses; a multiple of 64 bytes
  std::vector<WarpConstant> warpConstants;
  uint32_t registerRows = 0; // bytes of registerImage that are registers; they come first
  uint32_t localBytes = 0;   // of a lane: .local and the .param variables of calls
  uint32_t dynamicSharedOffset = kSharedBase;
  bool usesReservedShared = false;             // %reserved_smem_offset_1: cooperative groups of several warps
  std::vector<FunctionPlace> functions;        // the kernel first
  std::deque<ptx::Instruction> impliedReturns; // of functions, past their last instruction
};

} // namespace mxc::sim
