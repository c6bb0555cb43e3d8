#include "runtime/ArgumentChecks.h"

#include "dialect/formats/Error.h"
#include "runtime/ElementTypes.h"

#include <algorithm>
#include <cstdio>

namespace mxc {

namespace {
/// One argument's checks; every message begins with the kernel and the argument.
class ArgumentCheck {
public:
  ArgumentCheck(const KernelAbi &kernel, const AbiArgument &abi, const TensorView &view,
                const Dimensions &dimensions)
      : abi_(abi), view_(view), dimensions_(dimensions),
        where_("kernel '" + kernel.name + "': argument '" + abi.name + "': ") {
    bound_.abi = &abi;
    bound_.view = &view;
    checkType();
    checkShape(argumentShape(kernel, abi, dimensions));
    checkStrides();
    checkExtent();
    checkAddress();
  }
  BoundArgument bound() const { return bound_; }

private:
  [[noreturn]] void refuse(const std::string &what) const {
    throw Error(ErrorKind::InvalidInput, where_ + what);
  }
  [[noreturn]] void refuse(const std::string &what, const std::string &expected,
                           const std::string &found) const {
    refuse(what + ": expected " + expected + ", found " + found);
  }

  void checkType() {
    if (view_.type != abi_.type && !(abi_.type == "ue8m0" && view_.type == "u8"))
      refuse("type", abi_.type, view_.type.empty() ? "none" : view_.type);
    const ElementType *type = elementTypeNamed(view_.type);
    if (!type) refuse("this runtime does not know the type '" + view_.type + "'");
    bound_.bits = type->bits;
  }

  void checkShape(const std::vector<int64_t> &expected) {
    if (view_.shape != expected) {
      std::string rule = abi_.layout == ArgumentLayout::ScaleTcgen05
                             ? " (whole 512-byte tiles of " + abi_.rows + " x " + abi_.columns + " scales)"
                             : " (" + abi_.rows + " x " + abi_.columns + ")";
      refuse("shape", shapeText(expected) + rule, shapeText(view_.shape));
    }
    bound_.rows = expected.size() == 1 ? 1 : expected[0];
    bound_.columns = expected.back();
  }

  void checkStrides() {
    bound_.rowStride = bound_.columns;
    if (!view_.strides.empty() && view_.strides.size() != view_.shape.size())
      refuse("strides", std::to_string(view_.shape.size()) + " of them", shapeText(view_.strides));
    if (!view_.strides.empty() && view_.strides.back() != 1 && bound_.columns > 1 && bound_.rows > 0)
      refuse("innermost stride", "1", std::to_string(view_.strides.back()));
    bool isGiven = view_.strides.size() == 2 && bound_.hasRowStride() && bound_.columns > 0;
    if (isGiven) bound_.rowStride = view_.strides[0];
    checkRowStride(isGiven);
    int64_t strideBits = 0;
    if (__builtin_mul_overflow(bound_.rowStride, static_cast<int64_t>(bound_.bits), &strideBits))
      refuse("row stride " + std::to_string(bound_.rowStride) + " exceeds 2^63-1 bits");
    if (bound_.hasRowStride() && strideBits % 8)
      refuse("a row of " + std::to_string(bound_.rowStride) + " " + view_.type +
             " is not a whole number of bytes");
  }

  void checkRowStride(bool isGiven) {
    std::string found = std::to_string(bound_.rowStride) + (isGiven ? "" : " (contiguous)");
    bool matters = bound_.hasRowStride() && bound_.columns > 0;
    if (!abi_.rowStride) {
      if (bound_.rowStride != bound_.columns)
        refuse("row stride", std::to_string(bound_.columns) + " (the kernel takes contiguous rows)", found);
    } else if (abi_.rowStride->empty()) {
      if (bound_.rowStride < bound_.columns)
        refuse("row stride", "at least " + std::to_string(bound_.columns), found);
    } else {
      int64_t expected = evaluateFor(where_ + "row stride", *abi_.rowStride, dimensions_, 0);
      if (matters && bound_.rowStride != expected) refuse("row stride", std::to_string(expected), found);
      bound_.rowStride = expected;
    }
  }

  void checkExtent() {
    TensorView extent{view_.address, view_.type, {bound_.rows, bound_.columns}, {}};
    if (bound_.hasRowStride()) extent.strides = {bound_.rowStride, 1};
    try {
      bound_.bytes = extentBytes(extent);
    } catch (const Error &error) {
      refuse(error.what());
    }
  }

  void checkAddress() const {
    if (bound_.bytes == 0) return;
    if (view_.address == 0) refuse("null address for " + std::to_string(bound_.bytes) + " bytes");
    if (view_.address > UINT64_MAX - static_cast<uint64_t>(bound_.bytes))
      refuse(std::to_string(bound_.bytes) + " bytes at " + addressText(view_.address) +
             " go beyond the address space");
    int64_t alignment = std::max<int64_t>({abi_.alignment, bound_.bits / 8, 1});
    if (view_.address % static_cast<uint64_t>(alignment))
      refuse("address", "a multiple of " + std::to_string(alignment) + " bytes", addressText(view_.address));
  }

  static std::string addressText(uint64_t address) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    return text;
  }

  const AbiArgument &abi_;
  const TensorView &view_;
  const Dimensions &dimensions_;
  std::string where_;
  BoundArgument bound_;
};
} // namespace

static bool overlap(const BoundArgument &a, const BoundArgument &b) {
  if (a.bytes == 0 || b.bytes == 0) return false;
  return a.view->address < b.view->address + static_cast<uint64_t>(b.bytes) &&
         b.view->address < a.view->address + static_cast<uint64_t>(a.bytes);
}

static void checkOverlap(const KernelAbi &kernel, const std::vector<BoundArgument> &bound) {
  for (size_t i = 0; i < bound.size(); ++i)
    for (size_t j = 0; j < bound.size(); ++j) {
      if (i == j || !bound[i].abi->isOutput || !overlap(bound[i], bound[j])) continue;
      throw Error(ErrorKind::InvalidInput, "kernel '" + kernel.name + "': output '" + bound[i].abi->name +
                                               "' overlaps argument '" + bound[j].abi->name +
                                               "' in memory; expected buffers of their own");
    }
}

std::vector<BoundArgument> bindArguments(const KernelAbi &kernel, const Arguments &arguments,
                                         const Dimensions &dimensions) {
  std::vector<BoundArgument> bound;
  for (const AbiArgument &abi : kernel.arguments) {
    auto given = std::find_if(arguments.begin(), arguments.end(),
                              [&](const Argument &a) { return a.name == abi.name; });
    if (given == arguments.end())
      throw Error(ErrorKind::InvalidInput,
                  "kernel '" + kernel.name + "': argument '" + abi.name + "' is missing");
    bound.push_back(ArgumentCheck(kernel, abi, given->view, dimensions).bound());
  }
  checkOverlap(kernel, bound);
  return bound;
}

} // namespace mxc
