#include "compiler/lowering/EntryFunction.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace mxc {

static const TensorMapRecipe *recipeOf(ArrayRef<TensorMapRecipe> recipes, StringRef argument) {
  for (const TensorMapRecipe &recipe : recipes)
    if (argument == StringRef(recipe.argument)) return &recipe;
  return nullptr;
}

static void listParameters(const KernelSignature &signature, ArrayRef<TensorMapRecipe> byTensorMap,
                           std::vector<AbiParameter> &parameters) {
  using Kind = AbiParameter::Kind;
  for (const AbiArgument &argument : signature.abi.arguments) {
    if (const TensorMapRecipe *recipe = recipeOf(byTensorMap, argument.name)) {
      parameters.push_back({Kind::TensorMap, argument.name, *recipe}); // the map holds the stride
      continue;
    }
    parameters.push_back({Kind::Pointer, argument.name, {}});
    if (argument.rowStride && argument.rowStride->empty())
      parameters.push_back({Kind::RowStride, argument.name, {}});
  }
  for (const std::string &dimension : signature.abi.dimensions)
    parameters.push_back({Kind::Dimension, dimension, {}});
}

EntryFunction::EntryFunction(ModuleOp module, Location loc, const KernelSignature &signature,
                             AbiVariant &variant, ArrayRef<TensorMapRecipe> byTensorMap)
    : builder_(OpBuilder::atBlockEnd(module.getBody())), loc_(loc), signature_(signature) {
  listParameters(signature, byTensorMap, variant.parameters);

  MLIRContext *context = module.getContext();
  Type i64 = builder_.getI64Type(), global = LLVM::LLVMPointerType::get(context, 1),
       generic = LLVM::LLVMPointerType::get(context);
  SmallVector<Type> types;
  for (const AbiParameter &parameter : variant.parameters)
    types.push_back(parameter.kind == AbiParameter::Kind::Pointer     ? global
                    : parameter.kind == AbiParameter::Kind::TensorMap ? generic
                                                                      : i64);
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

  llvm::StringMap<Value> dimensions;
  for (auto [index, parameter] : llvm::enumerate(variant.parameters)) {
    Value value = body->getArgument(index);
    if (parameter.kind == AbiParameter::Kind::Dimension)
      dimensions[parameter.name] = value;
    else
      (parameter.kind == AbiParameter::Kind::RowStride ? rowStrides_ : pointers_)[parameter.name] = value;
    if (parameter.kind != AbiParameter::Kind::TensorMap) continue;
    // A tensor map is 128 bytes by value, used through its address.
    function.setArgAttr(index, "llvm.byval",
                        TypeAttr::get(LLVM::LLVMArrayType::get(builder_.getI8Type(), 128)));
    function.setArgAttr(index, "llvm.align", builder_.getI64IntegerAttr(64));
    function.setArgAttr(index, "nvvm.grid_constant", builder_.getUnitAttr());
  }
  auto extent = [&](const Extent &e) {
    return e.staticSize ? values().i64(*e.staticSize) : dimensions.lookup(e.name);
  };
  rows_ = extent(signature.rows);
  columns_ = extent(signature.columns);
}

Value EntryFunction::pointer(StringRef argument) const { return pointers_.lookup(argument); }

Value EntryFunction::rowStride(StringRef argument) {
  if (Value given = rowStrides_.lookup(argument)) return given;
  for (const AbiArgument &a : signature_.abi.arguments)
    if (argument == StringRef(a.name) && a.rowStride) return values().i64(std::stoll(*a.rowStride));
  return columns_; // contiguous
}

} // namespace mxc
