// What tests of grouped products have in common, whatever their block format.
#pragma once

#include "runtime/device/Graph.h"
#include "runtime/launch/GuardedArguments.h"
#include "tests/end-to-end/CheckedRun.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace mxc {

/// Groups of K.
struct GradientCase {
  std::vector<int32_t> lengths; // of the groups, along K
  int64_t m, n, tail = 0;       // tail: of K, past the last group
};

inline std::string text(const GradientCase &c) {
  std::string text = "groups of";
  for (int32_t length : c.lengths)
    text += " " + std::to_string(length);
  return text + ", " + std::to_string(c.tail) + " tokens after them, " + std::to_string(c.m) + " x " +
         std::to_string(c.n);
}

/// Launches with ends that fall or leave the matrix: a simulator's launch refuses them; in a graph it cannot,
/// and nothing outside of the tensors is written.
inline void checkBadEnds(const Kernel &kernel, const Dimensions &dimensions, HostTensors inputs,
                         const std::vector<int32_t> &ends) {
  inputs["ends"] = std::as_bytes(std::span(ends));
  GuardedArguments tensors(kernel, dimensions, inputs);
  Stream stream(testDevice());
  PreparedLaunch launch = kernel.prepare(tensors.arguments());
  if (isSimulated()) CHECK_THROWS_WITH(launch.launch(stream), Catch::Contains("argument 'ends': ends["));
  Graph graph = Graph::capture(stream, [&] { launch.launch(stream); });
  graph.launch(stream);
  stream.synchronize();
  CHECK(tensors.damage().value_or("") == "");
}

} // namespace mxc
