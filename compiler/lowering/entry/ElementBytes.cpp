#include "compiler/lowering/entry/ElementBytes.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

namespace mxc {

mlir::Value bytesOfElements(const ValueBuilder &v, mlir::Value elements, int64_t bits) {
  if (bits % 8 == 0) return v.mul(elements, bits / 8);
  const int64_t common = std::gcd(bits, int64_t(8));
  return v.shru(v.mul(elements, bits / common), llvm::Log2_64(8 / common));
}

} // namespace mxc
