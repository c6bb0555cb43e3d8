#include "compiler/lowering/entry/EntryFunction.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace mxc {

static const TensorMapRecipe *recipeOf(ArrayRef<TensorMapRecipe> recipes, StringRef argument) {
  for (const TensorMapRecipe &recipe : recipes)
    if (argument == StringRef(recipe.argument)) return &recipe;
  return nullptr;
}

static void listParameters(const KernelSignature &signature, ArrayRef<TensorMapRecipe> byTensorMap,
                           ArrayRef<std::string> workspaces, std::vector<AbiParameter> &parameters) {
  using Kind = AbiParameter::Kind;
  for (const AbiArgument &argument : signature.abi.arguments) {
    if (argument.kind == ArgumentKind::Workspace) {
      if (!llvm::is_contained(workspaces, argument.name)) continue;
      parameters.push_back({Kind::Pointer, argument.name, {}});
      for (const TensorMapRecipe &recipe : byTensorMap)
        if (recipe.argument == argument.name) parameters.push_back({Kind::TensorMap, argument.name, recipe});
      continue;
    }
    const TensorMapRecipe *recipe = recipeOf(byTensorMap, argument.name);
    if (recipe) parameters.push_back({Kind::TensorMap, argument.name, *recipe});
    bool isAccumulated = argument.isOutput && argument.isRead; // read without the map
    if (recipe && !isAccumulated) continue;                    // the map holds the stride
    parameters.push_back(
        {argument.kind == ArgumentKind::Scalar ? Kind::Scalar : Kind::Pointer, argument.name, {}});
    for (uint32_t i = 0; i < argument.strides.size(); ++i)
      if (argument.strides[i].kind == AbiStride::Kind::Free)
        parameters.push_back({Kind::Stride, argument.name, {}, i});
  }
  for (const std::string &dimension : signature.abi.dimensions)
    parameters.push_back({Kind::Dimension, dimension, {}});
}

Type EntryFunction::typeOf(const AbiParameter &parameter) {
  MLIRContext *context = builder_.getContext();
  if (parameter.kind == AbiParameter::Kind::Pointer) return LLVM::LLVMPointerType::get(context, 1);
  if (parameter.kind == AbiParameter::Kind::TensorMap) return LLVM::LLVMPointerType::get(context);
  if (parameter.kind != AbiParameter::Kind::Scalar) return builder_.getI64Type();
  for (const AbiArgument &argument : signature_.abi.arguments)
    if (argument.name == parameter.name && argument.type != "i64")
      return argument.type == "f32" ? Type(builder_.getF32Type()) : builder_.getI32Type();
  return builder_.getI64Type();
}

EntryFunction::EntryFunction(ModuleOp module, Location loc, const KernelSignature &signature,
                             AbiVariant &variant, ArrayRef<TensorMapRecipe> byTensorMap,
                             ArrayRef<std::string> workspaces)
    : builder_(OpBuilder::atBlockEnd(module.getBody())), loc_(loc), signature_(signature) {
  listParameters(signature, byTensorMap, workspaces, variant.parameters);

  MLIRContext *context = module.getContext();
  SmallVector<Type> types;
  for (const AbiParameter &parameter : variant.parameters)
    types.push_back(typeOf(parameter));
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types);
  auto function = LLVM::LLVMFuncOp::create(builder_, loc, variant.entry, type);
  function_ = function;
  function->setAttr("nvvm.kernel", builder_.getUnitAttr());
  function->setAttr(
      "nvvm.reqntid",
      builder_.getDenseI32ArrayAttr({int(variant.block[0]), int(variant.block[1]), int(variant.block[2])}));
  Block *body = function.addEntryBlock(builder_);
  builder_.setInsertionPointToEnd(body);
  auto end = LLVM::ReturnOp::create(builder_, loc, ValueRange());
  builder_.setInsertionPoint(end);

  for (auto [index, parameter] : llvm::enumerate(variant.parameters)) {
    Value value = body->getArgument(index);
    switch (parameter.kind) {
    case AbiParameter::Kind::Dimension:
      dimensions_[parameter.name] = value;
      break;
    case AbiParameter::Kind::Scalar:
      scalars_[parameter.name] = value;
      break;
    case AbiParameter::Kind::Stride:
      strides_[{parameter.name, parameter.dimension}] = value;
      break;
    case AbiParameter::Kind::Pointer:
      pointers_[parameter.name] = value;
      break;
    case AbiParameter::Kind::TensorMap:
      maps_[parameter.name].push_back(value);
      pointers_.try_emplace(parameter.name, value);
    }
    if (parameter.kind != AbiParameter::Kind::TensorMap) continue;
    // A tensor map is 128 bytes by value, used through its address.
    function.setArgAttr(index, "llvm.byval",
                        TypeAttr::get(LLVM::LLVMArrayType::get(builder_.getI8Type(), 128)));
    function.setArgAttr(index, "llvm.align", builder_.getI64IntegerAttr(64));
    function.setArgAttr(index, "nvvm.grid_constant", builder_.getUnitAttr());
  }
  rows_ = extent(signature.rows().name);
  columns_ = extent(signature.columns().name);
}

void EntryFunction::takeThreads(uint32_t most) {
  function_->removeAttr("nvvm.reqntid");
  function_->setAttr("nvvm.maxntid", builder_.getDenseI32ArrayAttr({int(most), 1, 1}));
}

Value EntryFunction::pointer(StringRef argument) const { return pointers_.lookup(argument); }

Value EntryFunction::map(StringRef argument, unsigned index) const { return maps_.lookup(argument)[index]; }

Value EntryFunction::extent(StringRef dimension) {
  const Extent &extent = signature_.extent(dimension);
  return extent.staticSize ? values().i64(*extent.staticSize) : dimensions_.lookup(dimension);
}

Value EntryFunction::scalar(StringRef argument) const { return scalars_.lookup(argument); }

IRMapping EntryFunction::scalars(mx::KernelOp kernel) const {
  IRMapping mapping;
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (Value value = scalar(kernel.getArgName(argument.getArgNumber()))) mapping.map(argument, value);
  return mapping;
}

// An extent as the ABI states it: a number or a dimension.
static Value valueOf(EntryFunction &entry, const ShapeExpression &extent) {
  if (std::optional<int64_t> constant = extent.constant()) return entry.values().i64(*constant);
  return entry.extent(*extent.name());
}

Value EntryFunction::stride(StringRef argument, unsigned dimension) {
  auto given = strides_.find({argument.str(), dimension});
  if (given != strides_.end()) return given->second;
  const AbiArgument &a = *llvm::find_if(signature_.abi.arguments,
                                        [&](const AbiArgument &a) { return argument == StringRef(a.name); });
  if (std::optional<int64_t> fixed = a.stride(dimension).value.constant()) return values().i64(*fixed);
  if (dimension + 1 == a.rank()) return values().i64(1);
  ValueBuilder v = values(); // contiguous: what lies within
  Value inner = valueOf(*this, a.shape[dimension + 1]);
  return dimension + 2 == a.rank() ? inner : v.mul(inner, stride(argument, dimension + 1));
}

} // namespace mxc
