#include "compiler/reference/PrologueEvaluator.h"

#include "compiler/Dialects.h"
#include "compiler/TextLimits.h"
#include "compiler/reference/PrologueOperations.h"
#include "dialect/MxOps.h"
#include "dialect/formats/Error.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/DenseMap.h"

#include <string>
#include <vector>

using namespace mlir;

namespace mxc {

struct PrologueProgram {
  std::vector<uint64_t> constants; // the initial slots; inputs come first
  std::vector<PrologueInstruction> instructions;
  size_t inputCount = 0;
  std::vector<unsigned> results; // slots
  struct Scalar {
    std::string name;
    unsigned slot;
    PrologueType type;
  };
  std::vector<Scalar> scalars; // arguments of the kernel
  bool isExact = true, approximates = false;
};

namespace {

Error unsupported(Operation &op, const std::string &what) {
  return Error(ErrorKind::InvalidInput, "the host reference cannot evaluate the prologue: " + what + " in " +
                                            op.getName().getStringRef().str() +
                                            "; run without --verify, or compute it with other operations");
}

/// Numbers the region's values and looks its operations up.
class RegionReader {
public:
  RegionReader(mx::KernelOp kernel, Block &block) : kernel_(kernel) {
    program.inputCount = block.getNumArguments();
    for (BlockArgument argument : block.getArguments())
      addSlot(argument, 0);
    for (Operation &op : block.without_terminator())
      read(op);
    for (Value value : cast<mx::YieldOp>(block.back()).getValues())
      program.results.push_back(slotOf(block.back(), value));
  }
  PrologueProgram program;

private:
  unsigned addSlot(Value value, uint64_t initial) {
    unsigned slot = program.constants.size();
    program.constants.push_back(initial);
    slots_[value] = slot;
    return slot;
  }

  // A value from around the region is a scalar argument of the kernel.
  unsigned slotOf(Operation &op, Value value) {
    if (auto known = slots_.find(value); known != slots_.end()) return known->second;
    std::string name = kernel_.getArgName(cast<BlockArgument>(value).getArgNumber()).str();
    program.scalars.push_back({name, addSlot(value, 0), typeOf(op, value.getType())});
    return program.scalars.back().slot;
  }

  static PrologueType typeOf(Operation &op, Type type) {
    using Kind = PrologueType::Kind;
    if (type.isF32()) return {Kind::F32, 32};
    if (type.isBF16()) return {Kind::BF16, 16};
    if (type.isF16()) return {Kind::F16, 16};
    if (type.isIndex()) return {Kind::Integer, 64};
    if (type.isInteger() && type.getIntOrFloatBitWidth() <= 64)
      return {Kind::Integer, type.getIntOrFloatBitWidth()};
    std::string name;
    llvm::raw_string_ostream(name) << type;
    throw unsupported(op, "type " + name);
  }

  void readConstant(arith::ConstantOp constant) {
    typeOf(*constant, constant.getType());
    if (auto integer = dyn_cast<IntegerAttr>(constant.getValue())) {
      addSlot(constant, integer.getValue().getZExtValue());
      return;
    }
    llvm::APFloat value = cast<FloatAttr>(constant.getValue()).getValue();
    bool losesInformation;
    value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &losesInformation);
    addSlot(constant, value.bitcastToAPInt().getZExtValue());
  }

  static arith::FastMathFlags flagsOf(Operation &op) {
    auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
    return fast && fast.getFastMathFlagsAttr() ? fast.getFastMathFlagsAttr().getValue()
                                               : arith::FastMathFlags::none;
  }

  void read(Operation &op) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) return readConstant(constant);
    const PrologueOperation *row = prologueOperationNamed(op.getName().getStringRef().str());
    if (!row || op.getNumResults() != 1 || op.getNumOperands() > 3)
      throw unsupported(op, "an operation it does not know");
    PrologueInstruction instruction;
    instruction.type = typeOf(op, op.getResult(0).getType());
    instruction.operandType = typeOf(op, op.getOperand(0).getType());
    bool isMath = op.getName().getDialectNamespace() == "math";
    if (isMath && instruction.type.kind != PrologueType::Kind::F32)
      throw unsupported(op, "a type other than f32");
    arith::FastMathFlags flags = flagsOf(op);
    bool isApproximated = row->approximation && instruction.type.kind == PrologueType::Kind::F32 &&
                          bitEnumContainsAll(flags, arith::FastMathFlags::afn);
    instruction.compute = isApproximated ? row->approximation : row->compute;
    program.isExact &= row->isExact && flags == arith::FastMathFlags::none;
    program.approximates |= isApproximated;
    if (auto compare = dyn_cast<arith::CmpFOp>(op)) instruction.predicate = unsigned(compare.getPredicate());
    if (auto compare = dyn_cast<arith::CmpIOp>(op)) instruction.predicate = unsigned(compare.getPredicate());
    for (auto [i, operand] : llvm::enumerate(op.getOperands()))
      instruction.operands[i] = slotOf(op, operand);
    instruction.result = addSlot(op.getResult(0), 0);
    program.instructions.push_back(instruction);
  }

  mx::KernelOp kernel_;
  llvm::DenseMap<Value, unsigned> slots_;
};

mx::KernelOp kernelNamed(ModuleOp module, std::string_view kernelName) {
  mx::KernelOp found;
  std::string names;
  unsigned count = 0;
  for (auto kernel : module.getOps<mx::KernelOp>()) {
    ++count;
    names += (names.empty() ? "" : ", ") + kernel.getSymName().str();
    if (kernelName.empty() || kernel.getSymName() == llvm::StringRef(kernelName)) found = kernel;
  }
  if (!found || (kernelName.empty() && count > 1))
    throw Error(ErrorKind::InvalidInput,
                "expected a kernel '" + std::string(kernelName) + "', found " + names);
  return found;
}

} // namespace

std::optional<Prologue> Prologue::parse(std::string_view source, std::string_view kernelName) {
  if (std::optional<TextExcess> excess = excessOf(source))
    throw Error(ErrorKind::InvalidInput, excess->text("-"));
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string messages;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    messages += (messages.empty() ? "" : "\n") + diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(llvm::StringRef(source), &context);
  if (!module) throw Error(ErrorKind::InvalidInput, messages);
  mx::KernelOp kernel = kernelNamed(*module, kernelName);
  Block *block = kernel.getKernelOperation().getScalarBlock();
  if (!block) return std::nullopt;
  return Prologue(std::make_shared<const PrologueProgram>(RegionReader(kernel, *block).program));
}

template <typename To> static To convertedScalar(const std::variant<int64_t, double> &value) {
  return std::visit([](auto number) { return static_cast<To>(number); }, value);
}

Prologue Prologue::withScalars(const ScalarValues &values) const {
  auto program = std::make_shared<PrologueProgram>(*program_);
  for (const PrologueProgram::Scalar &scalar : program->scalars) {
    auto given = values.find(scalar.name);
    if (given == values.end())
      throw Error(ErrorKind::InvalidInput,
                  "the region uses the scalar '" + scalar.name + "', which has no value");
    bool isFloat = scalar.type.kind == PrologueType::Kind::F32;
    program->constants[scalar.slot] = isFloat
                                          ? llvm::bit_cast<uint32_t>(convertedScalar<float>(given->second))
                                          : static_cast<uint64_t>(convertedScalar<int64_t>(given->second));
  }
  return Prologue(std::move(program));
}

bool Prologue::isExact() const { return program_->isExact; }
bool Prologue::approximates() const { return program_->approximates; }
size_t Prologue::inputCount() const { return program_->inputCount; }

void Prologue::evaluate(std::span<const std::span<const float>> inputs, std::span<float> out,
                        Approximation approximation, size_t result) const {
  bool fits = inputs.size() == inputCount();
  for (std::span<const float> input : inputs)
    fits &= input.size() == out.size();
  if (!fits)
    throw Error(ErrorKind::InvalidInput, "prologue: expected " + std::to_string(inputCount()) +
                                             " inputs of " + std::to_string(out.size()) + " elements");
  std::vector<uint64_t> slots = program_->constants;
  std::vector<PrologueInstruction> instructions = program_->instructions;
  for (PrologueInstruction &instruction : instructions)
    instruction.approximation = approximation;
  for (size_t i = 0; i < out.size(); ++i) {
    for (size_t input = 0; input < inputs.size(); ++input)
      slots[input] = llvm::bit_cast<uint32_t>(inputs[input][i]);
    for (const PrologueInstruction &instruction : instructions) {
      uint64_t operands[3];
      for (int operand = 0; operand < 3; ++operand)
        operands[operand] = slots[instruction.operands[size_t(operand)]];
      slots[instruction.result] = instruction.compute(instruction, operands);
    }
    out[i] = llvm::bit_cast<float>(static_cast<uint32_t>(slots[program_->results[result]]));
  }
}

} // namespace mxc
