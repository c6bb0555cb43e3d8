#include "runtime/measure/PlaceValues.h"

#include <algorithm>
#include <random>

namespace mxc::measure {

static int64_t rowsOf(const KernelAbi &kernel, const std::string &name, const Dimensions &dimensions,
                      size_t dimension = 0) {
  for (const AbiArgument &argument : kernel.arguments)
    if (argument.name == name && argument.rank() > dimension)
      return argumentShape(kernel, argument, dimensions)[dimension];
  return 0;
}

static std::vector<int32_t> endsOf(int64_t rows, int64_t groups, int64_t align) {
  std::mt19937_64 random(1);
  std::vector<int32_t> ends;
  int64_t end = 0;
  for (int64_t g = 0; g < groups; ++g) {
    const int64_t share = rows / groups, begin = (end + align - 1) / align * align;
    const int64_t off = share >= 16 ? int64_t(random() % uint64_t(share / 8 + 1)) - share / 16 : 0;
    const int64_t next = g + 1 == groups ? rows : std::min((g + 1) * share + off, rows);
    if (next > begin) end = next; // else the group is empty
    ends.push_back(int32_t(end));
  }
  return ends;
}

std::optional<std::vector<int32_t>> placesOf(const KernelAbi &kernel, const AbiArgument &argument,
                                             const Dimensions &dimensions) {
  if (argument.type != "i32" || argument.rank() < 1) return std::nullopt;
  int64_t length = 1;
  for (int64_t size : argumentShape(kernel, argument, dimensions))
    length *= size;
  const int64_t rows = rowsOf(kernel, argument.of, dimensions, argument.groupDimension);
  if (argument.role == ArgumentRole::Ends) return endsOf(rows, length, argument.groupRows);
  if (argument.role != ArgumentRole::Index) return std::nullopt;
  std::mt19937_64 random(2);
  std::vector<int32_t> index(size_t(length), -1);
  for (int32_t &row : index)
    if (rows) row = int32_t(random() % uint64_t(rows));
  return index;
}

} // namespace mxc::measure
