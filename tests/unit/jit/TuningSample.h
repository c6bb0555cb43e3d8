// Rows of a tuning database for tests.
#pragma once

#include "runtime/jit/TuningDatabase.h"

inline const mxc::TuningKey kSampleKey{"0123abcd", "NVIDIA H200", 132};

/// A choice for the bucket that M = 2^number lies in; everything follows from the two numbers.
inline mxc::TunedRow sampleRow(int number, int version = 0) {
  const mxc::Dimensions shape{{"K", 7168}, {"M", int64_t(1) << number}};
  return {kSampleKey,
          {mxc::ShapeBucket::of(shape), "build", "nvjitlink",
           "warps = " + std::to_string(1 << number % 6) + ", rows_per_warp = " + std::to_string(version % 7),
           "K = 7168", "microseconds", number + version / 1000.0, 1000 + number}};
}

inline bool isSample(const mxc::TunedChoice &choice, int version) {
  for (int number = 0; number < 40; ++number) {
    const mxc::TunedChoice expected = sampleRow(number, version).choice;
    if (choice.bucket == expected.bucket)
      return choice.tile == expected.tile && choice.score == expected.score &&
             choice.seconds == expected.seconds;
  }
  return false;
}
