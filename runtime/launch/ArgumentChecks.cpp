#include "runtime/launch/ArgumentChecks.h"

#include "dialect/formats/Error.h"
#include "runtime/device/ElementTypes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>

namespace mxc {

namespace {
/// One tensor's checks; every message begins with the kernel and the argument.
class TensorCheck {
public:
  TensorCheck(const KernelAbi &kernel, const AbiArgument &abi, const TensorView &view,
              const Dimensions &dimensions)
      : kernel_(kernel), abi_(abi), view_(view), dimensions_(dimensions) {
    bound_.abi = &abi;
    bound_.view = &view;
    checkType();
    checkShape();
    checkStrides();
    checkExtent();
    checkAddress();
  }
  BoundArgument bound() const { return bound_; }

private:
  std::string where() const { return "kernel '" + kernel_.name + "': argument '" + abi_.name + "': "; }
  [[noreturn]] void refuse(const std::string &what) const {
    throw Error(ErrorKind::InvalidInput, where() + what);
  }
  [[noreturn]] void refuse(const std::string &what, const std::string &expected,
                           const std::string &found) const {
    refuse(what + ": expected " + expected + ", found " + found);
  }

  void checkType() {
    if (!acceptsType(abi_.type, view_.type))
      refuse("type", abi_.type, view_.type.empty() ? "none" : view_.type);
    const ElementType *type = elementTypeNamed(view_.type);
    if (!type) refuse("this runtime does not know the type '" + view_.type + "'");
    bound_.bits = type->bits;
    isOfBytes_ = abi_.type != view_.type && elementTypeNamed(abi_.type)->bits < 8;
    if (isOfBytes_) bound_.bits = elementTypeNamed(abi_.type)->bits; // everything here counts elements
  }

  bool hasShape(std::span<const int64_t> sizes) const {
    if (!isOfBytes_) return std::ranges::equal(view_.shape, sizes);
    if (view_.shape.size() != sizes.size()) return false;
    for (size_t i = 0; i < sizes.size(); ++i)
      if (givenSize(kernel_, abi_, view_, i) != sizes[i]) return false;
    return true;
  }

  std::span<const int64_t> sizes() const { return std::span(bound_.sizes).first(bound_.rank); }

  void checkShape() {
    bound_.rank = argumentShape(kernel_, abi_, dimensions_, bound_.sizes);
    if (!hasShape(sizes())) {
      std::string rule = storageText(abi_);
      if (isOfBytes_) rule += (rule.empty() ? "" : ", ") + abi_.type + " packed in " + view_.type;
      refuse("shape", shapeText(sizes()) + (rule.empty() ? "" : " (" + rule + ")"), shapeText(view_.shape));
    }
    isEmpty_ = view_.isEmpty();
  }

  bool matters(size_t dimension) const { return !isEmpty_ && bound_.hasStride(dimension); }

  std::string strideName(size_t dimension) const {
    if (dimension == std::min(abi_.innermost(), bound_.rank - 1)) return "innermost stride";
    return dimension + 2 >= bound_.rank ? "row stride" : "stride " + std::to_string(dimension);
  }

  /// The tensor as the caller has it; without strides it is contiguous.
  int64_t givenStride(size_t dimension) const {
    if (!view_.strides.empty()) return elementStride(view_.strides[dimension], dimension);
    int64_t stride = 1;
    for (size_t i = dimension + 1; i < bound_.rank; ++i)
      stride = product(stride, bound_.sizes[i], i - 1);
    return stride;
  }

  int64_t elementStride(int64_t given, size_t dimension) const {
    if (!isOfBytes_ || dimension == abi_.innermost()) return given;
    if (const std::optional<int64_t> elements = elementsIn(abi_.type, view_.type, given)) return *elements;
    refuse(strideName(dimension) + ": " + std::to_string(given) + " bytes hold no whole number of " +
           abi_.type);
  }

  int64_t product(int64_t stride, int64_t size, size_t dimension) const {
    if (int64_t result = 0; !__builtin_mul_overflow(stride, size, &result)) return result;
    refuse(strideName(dimension) + " exceeds 2^63-1 elements");
  }

  /// How much the dimensions inside this one take.
  int64_t leastStride(size_t dimension) const {
    int64_t least = dimension + 1 < bound_.rank ? 0 : 1;
    for (size_t i = 0; i < bound_.rank; ++i)
      if (i > dimension || (i < dimension && i == abi_.innermost()))
        least = std::max(least, product(bound_.strides[i], bound_.sizes[i], dimension));
    return least;
  }

  /// Whether the matrices of a batch lie between each other's rows, as those of a transposed [K, G, N] do.
  /// Rows are checked already.
  bool liesBetweenRows(size_t dimension, int64_t stride) const {
    if (bound_.rank != 3 || dimension != 0 || abi_.innermost() != 2 || bound_.sizes[1] < 2) return false;
    return stride >= product(bound_.strides[2], bound_.sizes[2], 0) &&
           bound_.strides[1] >= product(stride, bound_.sizes[0], 0);
  }

  void checkStrides() {
    if (!view_.strides.empty() && view_.strides.size() != view_.shape.size())
      refuse("strides", std::to_string(view_.shape.size()) + " of them", shapeText(view_.strides));
    for (size_t i = 0; i < bound_.rank; ++i)
      if (abi_.stride(i).kind == AbiStride::Kind::Fixed) bound_.strides[i] = fixedStride(i);
    for (size_t i = bound_.rank; i-- > 0;) {
      checkStride(i);
      checkStrideBytes(i);
    }
  }

  int64_t fixedStride(size_t i) const {
    return evaluateFor([&] { return where() + strideName(i); }, abi_.stride(i).value, dimensions_, 0);
  }

  void checkStride(size_t i) {
    const AbiStride &stride = abi_.stride(i);
    const int64_t given = givenStride(i);
    const auto found = [&] { return std::to_string(given) + (view_.strides.empty() ? " (contiguous)" : ""); };
    if (stride.kind == AbiStride::Kind::Fixed) {
      if (!matters(i)) return;
      if (i != abi_.innermost() && bound_.strides[i] < leastStride(i))
        refuse(strideName(i) + " of " + std::to_string(bound_.strides[i]) + ", which the kernel has",
               "at least " + std::to_string(leastStride(i)), std::to_string(bound_.strides[i]));
      if (given != bound_.strides[i]) refuse(strideName(i), std::to_string(bound_.strides[i]), found());
      return;
    }
    const int64_t least = stride.kind == AbiStride::Kind::Free ? leastStride(i)
                          : i + 1 == bound_.rank ? 1
                                                 : product(bound_.strides[i + 1], bound_.sizes[i + 1], i);
    bound_.strides[i] = least;
    if (!matters(i)) return;
    if (stride.kind == AbiStride::Kind::Contiguous && given != least)
      refuse(strideName(i),
             std::to_string(least) + (i + 1 == bound_.rank ? "" : " (the kernel takes contiguous rows)"),
             found());
    const bool isApart =
        given >= least || (stride.kind == AbiStride::Kind::Free && liesBetweenRows(i, given));
    if (!isApart) refuse(strideName(i), "at least " + std::to_string(least), found());
    bound_.strides[i] = given;
  }

  void checkStrideBytes(size_t i) const {
    int64_t bits = 0;
    if (__builtin_mul_overflow(bound_.strides[i], static_cast<int64_t>(bound_.bits), &bits))
      refuse(strideName(i) + " " + std::to_string(bound_.strides[i]) + " exceeds 2^63-1 bits");
    if (bound_.hasStride(i) && i != abi_.innermost() && bits % 8)
      refuse("a row of " + std::to_string(bound_.strides[i]) + " " + view_.type +
             " is not a whole number of bytes");
  }

  void checkExtent() {
    std::array<int64_t, 5> strides = bound_.strides;
    for (size_t i = 0; i < bound_.rank; ++i)
      if (!matters(i)) strides[i] = 0;
    const std::span<const int64_t> used = std::span(strides).first(bound_.rank);
    const bool isNegative = std::ranges::any_of(used, [](int64_t stride) { return stride < 0; });
    const std::optional<int64_t> bytes = extentBytes(sizes(), used, bound_.bits);
    if (bytes && !isNegative) {
      bound_.bytes = *bytes;
      return;
    }
    try { // for what is wrong with it
      extentBytes({view_.address, view_.type, view_.shape, {used.begin(), used.end()}});
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
    int64_t alignment = std::max<int64_t>({abi_.alignment, storageBytes(bound_.bits, 1)});
    if (view_.address % static_cast<uint64_t>(alignment))
      refuse("address", "a multiple of " + std::to_string(alignment) + " bytes", addressText(view_.address));
  }

  static std::string addressText(uint64_t address) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    return text;
  }

  const KernelAbi &kernel_;
  const AbiArgument &abi_;
  const TensorView &view_;
  const Dimensions &dimensions_;
  BoundArgument bound_;
  bool isEmpty_ = false;
  bool isOfBytes_ = false; // that hold packed elements
};
} // namespace

/// Returns a scalar's bits.
static uint64_t scalarBits(const KernelAbi &kernel, const AbiArgument &abi, const Argument &given) {
  auto refuse = [&](const std::string &found) {
    return Error(ErrorKind::InvalidInput, "kernel '" + kernel.name + "': argument '" + abi.name +
                                              "': expected a number of type " + abi.type + ", found " +
                                              found);
  };
  if (!given.value) throw refuse("a tensor");
  const int64_t *integer = std::get_if<int64_t>(&*given.value);
  if (abi.type == "f32") {
    if (integer) return std::bit_cast<uint32_t>(static_cast<float>(*integer));
    const double number = std::get<double>(*given.value);
    const float rounded = static_cast<float>(number);
    if (std::isfinite(number) && std::isinf(rounded)) throw refuse(std::to_string(number));
    return std::bit_cast<uint32_t>(rounded);
  }
  if (!integer) throw refuse(std::to_string(std::get<double>(*given.value)));
  if (abi.type == "i32" && *integer != static_cast<int32_t>(*integer)) throw refuse(std::to_string(*integer));
  return static_cast<uint64_t>(*integer);
}

ArgumentRange BoundArgument::range() const {
  ArgumentRange range{address(), bytes, abi->isOutput || abi->kind == ArgumentKind::Workspace};
  const bool hasRows = abi->isTensor() && rank == 2 && hasStride(0) && abi->innermost() == 1;
  if (hasRows) range.rowBytes = storageBytes(bits, sizes[1]), range.rowStride = strideBytes(0);
  return range;
}

static void checkOverlap(const KernelAbi &kernel, const std::vector<BoundArgument> &bound) {
  for (size_t i = 0; i < bound.size(); ++i)
    for (size_t j = 0; j < bound.size(); ++j) {
      const bool isWorkspace = bound[i].abi->kind == ArgumentKind::Workspace;
      if (i == j || !bound[i].range().isWritten || !bound[i].range().meets(bound[j].range())) continue;
      throw Error(ErrorKind::InvalidInput,
                  "kernel '" + kernel.name + (isWorkspace ? "': workspace '" : "': output '") +
                      bound[i].abi->name + "' overlaps argument '" + bound[j].abi->name +
                      "' in memory; expected buffers of their own");
    }
}

static BoundArgument bind(const KernelAbi &kernel, const AbiArgument &abi, const Argument *given,
                          const Dimensions &dimensions) {
  BoundArgument bound;
  bound.abi = &abi;
  if (!given && abi.kind == ArgumentKind::Workspace) return bound;
  if (!given)
    throw Error(ErrorKind::InvalidInput,
                "kernel '" + kernel.name + "': argument '" + abi.name + "' is missing");
  if (abi.isTensor()) return TensorCheck(kernel, abi, given->view, dimensions).bound();
  if (abi.kind == ArgumentKind::Scalar) {
    bound.scalar = scalarBits(kernel, abi, *given);
    return bound;
  }
  bound.view = &given->view;
  try {
    bound.bytes = given->value ? 0 : extentBytes(given->view);
  } catch (const Error &error) {
    throw Error(ErrorKind::InvalidInput,
                "kernel '" + kernel.name + "': workspace '" + abi.name + "': " + error.what());
  }
  return bound;
}

std::vector<BoundArgument> bindArguments(const KernelAbi &kernel, const Arguments &arguments,
                                         const Dimensions &dimensions) {
  std::vector<BoundArgument> bound;
  bound.reserve(kernel.arguments.size());
  for (const AbiArgument &abi : kernel.arguments) {
    auto given = std::find_if(arguments.begin(), arguments.end(),
                              [&](const Argument &a) { return a.name == abi.name; });
    bound.push_back(bind(kernel, abi, given == arguments.end() ? nullptr : &*given, dimensions));
  }
  checkOverlap(kernel, bound);
  return bound;
}

} // namespace mxc
