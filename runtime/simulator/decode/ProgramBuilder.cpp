#include "runtime/simulator/decode/ProgramBuilder.h"

#include "dialect/formats/Error.h"
#include "runtime/simulator/decode/Decoder.h"
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/memory/GlobalOrder.h"
#include "runtime/simulator/ptx/ControlFlow.h"

#include <algorithm>
#include <cstring>

namespace mxc::sim {

// What every chip takes: CUDA programming guide, "Technical specifications per compute capability"; the
// parameters of a kernel, PTX ISA 5.1.6.1.
static constexpr uint64_t kMaximumLocalBytes = 512 << 10, kMaximumParameterBytes = 32764,
                          kMaximumSharedBytes = uint64_t(1) << kSharedRankShift;
/// The limit of a warp's register file: PTX has registers without end, and a row is up to 512 bytes.
static constexpr uint64_t kMaximumRegisterBytes = uint64_t(64) << 20;

static uint64_t alignedUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// Adds a variable after `end`, and returns where it begins. No sum exceeds `limit` by more than itself.
static uint64_t place(uint64_t &end, const ptx::Variable &variable, uint64_t limit) {
  uint64_t begin = alignedUp(end, std::max(1u, variable.alignment));
  end = begin + std::min<uint64_t>(variable.bytes, limit + 1);
  return begin;
}

void ProgramBuilder::refuse(const std::string &why) const {
  throw Error(ErrorKind::InvalidInput, "kernel '" + kernel_.name + "': " + why);
}

ProgramBuilder::ProgramBuilder(const PlacedModule &module, const ptx::Function &kernel)
    : module_(module), kernel_(kernel), current_(&kernel), program_(std::make_unique<Program>()) {}

const ProgramBuilder::Place *ProgramBuilder::placeOf(std::string_view name) const {
  auto found = placeNumbers_.find(name);
  return found == placeNumbers_.end() ? nullptr : &places_[found->second];
}

uint32_t ProgramBuilder::firstInstructionOf(const std::string &function) const {
  const Place *place = placeOf(function);
  return place ? place->firstInstruction : kNone;
}

std::optional<LocalRange> ProgramBuilder::localRange(const ptx::Function &function,
                                                     const std::string &variable) const {
  const Place *place = placeOf(function.name);
  if (!place) return std::nullopt;
  auto found = place->locals.find(variable);
  return found == place->locals.end() ? std::nullopt : std::optional(found->second.range);
}

/// The function and all whose names its instructions mention: called, or their address taken.
void ProgramBuilder::collect(const ptx::Function &first) {
  std::vector<const ptx::Function *> waiting{&first};
  std::vector<const ptx::Operand *> open;
  while (!waiting.empty()) {
    const ptx::Function &function = *waiting.back();
    waiting.pop_back();
    if (function.isExtern || !placeNumbers_.try_emplace(function.name, places_.size()).second) continue;
    places_.push_back({&function, 0, {}, {}});
    for (const ptx::Instruction &instruction : function.instructions)
      for (const ptx::Operand &operand : instruction.operands)
        open.push_back(&operand);
    while (!open.empty()) {
      const ptx::Operand *operand = open.back();
      open.pop_back();
      for (const ptx::Operand &part : operand->parts)
        open.push_back(&part);
      if (operand->kind != ptx::Operand::Kind::Symbol) continue;
      const ptx::Function *other = module_.function(operand->name);
      if (other && !other->isEntry) waiting.push_back(other);
    }
  }
}

uint32_t
ProgramBuilder::allocate(uint32_t bytes) { // a lane; 64-byte alignment lets rows be loaded as vectors
  uint64_t offset = image_.size(), end = offset + alignedUp(bytes == 0 ? 4 : bytes * kLanes, 64);
  if (end > kMaximumRegisterBytes) refuse("its registers exceed 64 MiB a warp");
  image_.resize(end);
  return uint32_t(offset);
}

void ProgramBuilder::fill(uint32_t row, uint64_t bits, uint32_t bytes) {
  if (bytes == 0) {
    uint32_t mask = bits ? ~0u : 0;
    std::memcpy(&image_[row], &mask, 4);
    return;
  }
  for (int lane = 0; lane < kLanes; ++lane)
    std::memcpy(&image_[row + uint32_t(lane) * bytes], &bits, std::min(bytes, 8u));
}

uint32_t ProgramBuilder::constant(uint64_t bits, uint32_t bytes) {
  if (bytes && bytes < 8) bits &= (uint64_t(1) << (8 * bytes)) - 1;
  auto [at, isNew] = constants_.try_emplace({bits, bytes}, 0);
  if (isNew) {
    at->second = allocate(bytes);
    fill(at->second, bits, bytes);
  }
  return at->second;
}

uint32_t ProgramBuilder::special(const std::string &name, uint32_t bytes) {
  auto [at, isNew] = specials_.try_emplace({name, bytes}, 0);
  if (isNew) {
    at->second = allocate(bytes);
    program_->warpConstants.push_back({{at->second, bytes}, specialValue(name)});
    program_->usesReservedShared |= name == "reserved_smem_offset_1";
  }
  return at->second;
}

uint32_t ProgramBuilder::carryRow() {
  if (carry_ == kNone) carry_ = allocate(0);
  return carry_;
}

Row ProgramBuilder::registerRow(uint32_t reg) const {
  ptx::Type type = current_->registers[reg].type;
  return {currentPlace_->rows[reg], type.kind == ptx::Type::Kind::Predicate ? 0 : type.bytes()};
}

uint32_t ProgramBuilder::symbol(const ptx::Operand &operand, uint32_t bytes) {
  uint64_t offset = uint64_t(operand.offset);
  if (auto local = currentPlace_->locals.find(operand.name); local != currentPlace_->locals.end()) {
    const auto &[range, isParameter] = local->second;
    return constant((isParameter ? kCallParameter : 0) + range.offset + offset, bytes);
  }
  if (auto parameter = parameterOffsets_.find(operand.name);
      parameter != parameterOffsets_.end() && current_ == &kernel_)
    return constant(parameter->second + offset, bytes);
  auto shared = sharedOffsets_.find({current_, operand.name});
  if (shared == sharedOffsets_.end()) shared = sharedOffsets_.find({nullptr, operand.name});
  if (shared != sharedOffsets_.end()) {
    auto [at, isNew] = sharedAddresses_.try_emplace({shared->second + offset, bytes}, 0);
    if (isNew) {
      at->second = allocate(bytes);
      program_->warpConstants.push_back({{at->second, bytes}, nullptr, shared->second + offset});
    }
    return at->second;
  }
  if (const Allocation *variable = module_.variable(operand.name))
    return constant(variable->address + offset, bytes);
  if (placeOf(operand.name)) return constant(module_.functionAddress(operand.name), bytes);
  throw Unsupported{"'" + operand.name + "' has no address here"};
}

void ProgramBuilder::placeParameters() {
  uint64_t end = 0;
  for (const ptx::Variable &parameter : kernel_.parameters) {
    program_->facts.parameterOffsets.push_back(uint32_t(place(end, parameter, kMaximumParameterBytes)));
    if (end > kMaximumParameterBytes)
      refuse("its parameters have more than " + std::to_string(kMaximumParameterBytes) + " bytes");
    program_->facts.parameterSizes.push_back(uint32_t(parameter.bytes));
    parameterOffsets_[parameter.name] = program_->facts.parameterOffsets.back();
  }
  program_->facts.parameterBytes = uint32_t(end);
}

/// Sized variables first, then the unsized ones, which all begin where dynamic shared memory does. Without
/// sized ones that is kSharedBase, 1024-byte aligned whatever .align says: kernels rely on it.
void ProgramBuilder::placeShared() {
  uint64_t offset = kSharedBase;
  std::vector<std::pair<const ptx::Function *, const ptx::Variable *>> sized, unsized;
  auto take = [&](const ptx::Function *of, const std::vector<ptx::Variable> &variables) {
    for (const ptx::Variable &variable : variables)
      if (variable.space == ptx::Space::Shared)
        (variable.bytes ? sized : unsized).emplace_back(of, &variable);
  };
  take(nullptr, module_.module.variables);
  for (const Place &place : places_)
    take(place.function, place.function->variables);
  for (auto [of, variable] : sized) {
    sharedOffsets_[{of, variable->name}] = uint32_t(place(offset, *variable, kMaximumSharedBytes));
    if (offset > kMaximumSharedBytes) refuse("its shared variables have more than 16 MiB");
  }
  program_->facts.staticSharedBytes = uint32_t(offset) - kSharedBase;
  uint32_t dynamicAlignment = 16;
  for (auto [of, variable] : unsized)
    dynamicAlignment = std::max(dynamicAlignment, variable->alignment);
  program_->dynamicSharedOffset = uint32_t(alignedUp(offset, dynamicAlignment));
  if (program_->dynamicSharedOffset > kMaximumSharedBytes)
    refuse("its shared variables have more than 16 MiB");
  for (auto [of, variable] : unsized)
    sharedOffsets_[{of, variable->name}] = program_->dynamicSharedOffset;
}

void ProgramBuilder::placeLocals(Place &place, bool isKernel) {
  auto add = [&](const ptx::Variable &variable) {
    uint64_t end = program_->localBytes;
    uint64_t begin = mxc::sim::place(end, variable, kMaximumLocalBytes);
    if (end > kMaximumLocalBytes)
      refuse("its functions need more than " + std::to_string(kMaximumLocalBytes) +
             " bytes of local memory a thread (with " + variable.name + ")");
    place.locals[variable.name] = {{uint32_t(begin), uint32_t(variable.bytes)},
                                   variable.space == ptx::Space::Param};
    program_->localBytes = uint32_t(end);
  };
  for (const ptx::Variable &variable : place.function->variables)
    if (variable.space == ptx::Space::Local || variable.space == ptx::Space::Param) add(variable);
  if (isKernel) return;
  for (const auto *passed : {&place.function->parameters, &place.function->returns})
    for (const ptx::Variable &variable : *passed)
      if (variable.registers.empty()) add(variable);
}

FunctionPlace ProgramBuilder::functionPlace(const Place &place, uint32_t localBegin) const {
  FunctionPlace result;
  result.function = place.function;
  result.address = module_.functionAddress(place.function->name);
  result.firstInstruction = place.firstInstruction;
  for (size_t i = 0; i < place.rows.size(); ++i) {
    ptx::Type type = place.function->registers[i].type;
    result.registers.push_back({place.rows[i], type.kind == ptx::Type::Kind::Predicate ? 0 : type.bytes()});
  }
  result.local = {localBegin, program_->localBytes - localBegin};
  auto places = [&](const std::vector<ptx::Variable> &variables, std::vector<ParameterPlace> &to) {
    for (const ptx::Variable &variable : variables) {
      for (uint32_t reg : variable.registers)
        to.push_back({.row = result.registers[reg]});
      if (variable.registers.empty()) to.push_back({.local = place.locals.at(variable.name).range});
    }
  };
  if (place.function != &kernel_) {
    places(place.function->parameters, result.parameters);
    places(place.function->returns, result.returns);
  }
  return result;
}

uint32_t ProgramBuilder::opcodeNumber(const Instruction &instruction) {
  std::string name = opcodeName(*instruction.source, instruction.counted);
  auto [at, isNew] = opcodes_.try_emplace(name, uint32_t(program_->opcodes.size()));
  if (isNew) program_->opcodes.push_back({name, instruction.counted});
  return at->second;
}

void ProgramBuilder::decodeFunction(const Place &place) {
  current_ = place.function;
  currentPlace_ = &place;
  std::vector<uint32_t> meeting = ptx::reconvergencePoints(*place.function);
  for (size_t i = 0; i < place.function->instructions.size(); ++i) {
    const ptx::Instruction &source = place.function->instructions[i];
    Instruction &out = program_->instructions[place.firstInstruction + i];
    out.globalEffect = globalEffect(source);
    if (meeting[i] != ptx::kAtExit) out.reconvergence = place.firstInstruction + meeting[i];
    decodeInstruction(*this, source, out);
    if (source.guard) {
      Row guard = registerRow(*source.guard);
      out.guard = guard.offset;
      out.isGuardNegated = source.isGuardNegated;
      out.reads.push_back(guard);
    }
    out.opcode = opcodeNumber(out);
  }
  // A function that ends without ret returns; one more instruction keeps pc inside.
  const std::vector<ptx::Instruction> &written = place.function->instructions;
  ptx::Instruction &source = program_->impliedReturns.emplace_back();
  source.opcode = "ret";
  source.place = written.empty() ? place.function->place : written.back().place;
  Instruction &end = program_->instructions[place.firstInstruction + written.size()];
  decodeInstruction(*this, source, end);
  end.opcode = opcodeNumber(end);
}

/// A lane's registers where the largest block must fit on a multiprocessor: an assembler would keep to that.
/// PTX's registers are as many as its compiler liked.
static uint32_t mostRegisters(uint32_t threads) {
  return std::min<uint32_t>(255, 65536 / ((threads + 127) / 128 * 128) / 8 * 8);
}

std::unique_ptr<Program> ProgramBuilder::build() {
  program_->function = &kernel_;
  program_->module = &module_;
  program_->facts.target = module_.module.target;
  program_->facts.version = module_.module.version;
  if (kernel_.maximumThreads) {
    uint64_t threads = 1; // no product exceeds 2^42
    for (uint32_t extent : *kernel_.maximumThreads)
      threads = std::min<uint64_t>(1024, threads * extent);
    program_->facts.maximumThreads = uint32_t(threads);
  }
  if (kernel_.requiredThreads) program_->facts.requiredThreads = *kernel_.requiredThreads;
  if (kernel_.requiredCluster) program_->facts.requiredCluster = *kernel_.requiredCluster;
  collect(kernel_);
  for (const ptx::Variable &variable : module_.module.variables) // tables of functions
    for (const ptx::Initializer &part : variable.initializers)
      if (const ptx::Function *function = module_.function(part.symbol); function && !function->isEntry)
        collect(*function);
  placeParameters();
  placeShared();
  uint32_t instructions = 0;
  for (Place &place : places_) {
    uint32_t localBegin = program_->localBytes;
    placeLocals(place, place.function == &kernel_);
    place.firstInstruction = instructions;
    instructions += uint32_t(place.function->instructions.size()) + 1;
    for (const ptx::Register &reg : place.function->registers)
      place.rows.push_back(allocate(reg.type.kind == ptx::Type::Kind::Predicate ? 0 : reg.type.bytes()));
    program_->facts.registers += uint32_t(place.function->registers.size());
    program_->functions.push_back(functionPlace(place, localBegin));
  }
  program_->facts.registers =
      std::min(program_->facts.registers, mostRegisters(program_->facts.maximumThreads));
  program_->registerRows = uint32_t(image_.size());
  program_->instructions.resize(instructions);
  for (const Place &place : places_)
    decodeFunction(place);
  program_->facts.localBytes = program_->localBytes;
  program_->registerImage = std::move(image_);
  return std::move(program_);
}

std::unique_ptr<Program> decode(const PlacedModule &module, const ptx::Function &kernel) {
  return ProgramBuilder(module, kernel).build();
}

const KernelFacts &factsOf(const Program &program) { return program.facts; }

} // namespace mxc::sim
