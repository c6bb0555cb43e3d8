#include "runtime/simulator/machine/SavedFunction.h"

#include "runtime/simulator/machine/Lanes.h"

#include <algorithm>
#include <cstring>

namespace mxc::sim {

static uint32_t bytesOf(Row row) { return row.bytes ? row.bytes * kLanes : 4; }

std::shared_ptr<const SavedFunction> saveFunction(Warp &warp, const FunctionPlace &function) {
  auto saved = std::make_shared<SavedFunction>(gridOf(warp).whileRunning);
  size_t total = kLanes * size_t(function.local.bytes);
  for (Row row : function.registers)
    total += bytesOf(row);
  saved->held.take(total);
  saved->bytes.reserve(total);
  auto append = [&](const std::byte *from, size_t bytes) {
    saved->bytes.insert(saved->bytes.end(), from, from + bytes);
  };
  for (Row row : function.registers)
    append(warp.registers + row.offset, bytesOf(row));
  size_t laneBytes = gridOf(warp).program->localBytes;
  for (size_t lane = 0; lane < kLanes; ++lane)
    append(warp.local + lane * laneBytes + function.local.offset, function.local.bytes);
  return saved;
}

void restoreFunction(Warp &warp, const FunctionPlace &function, const SavedFunction &saved) {
  const std::byte *from = saved.bytes.data();
  for (Row row : function.registers) {
    if (row.bytes == 0) {
      uint32_t bits, &now = predicate(warp, row.offset);
      std::memcpy(&bits, from, 4);
      now = (now & ~warp.mask) | (bits & warp.mask);
    } else {
      forEachLane(warp, [&](int lane) {
        size_t at = size_t(lane) * row.bytes;
        std::memcpy(warp.registers + row.offset + at, from + at, row.bytes);
      });
    }
    from += bytesOf(row);
  }
  size_t laneBytes = gridOf(warp).program->localBytes;
  forEachLane(warp, [&](int lane) {
    std::memcpy(warp.local + size_t(lane) * laneBytes + function.local.offset,
                from + size_t(lane) * function.local.bytes, function.local.bytes);
  });
}

std::byte *laneBytes(Warp &warp, const ParameterPlace &place, int lane) {
  if (place.row.bytes) return warp.registers + place.row.offset + size_t(lane) * place.row.bytes;
  return warp.local + size_t(lane) * gridOf(warp).program->localBytes + place.local.offset;
}

std::vector<std::byte> takeParameters(Warp &warp, const std::vector<ParameterPlace> &places) {
  std::vector<std::byte> values;
  forEachLane(warp, [&](int lane) {
    for (const ParameterPlace &place : places) {
      const std::byte *from = laneBytes(warp, place, lane);
      values.insert(values.end(), from, from + place.bytes());
    }
  });
  return values;
}

void giveParameters(Warp &warp, const std::vector<ParameterPlace> &places,
                    const std::vector<std::byte> &values) {
  const std::byte *from = values.data();
  forEachLane(warp, [&](int lane) {
    for (const ParameterPlace &place : places) {
      std::copy_n(from, place.bytes(), laneBytes(warp, place, lane));
      from += place.bytes();
    }
  });
}

} // namespace mxc::sim
