// What is known of chips, as data. Chips.def has the rows; nothing else says which chips there are.
#pragma once

#include "dialect/formats/TargetName.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mxc {

/// Chips that have the same tensor core and take the same tiles (compiler/targets/Chips.h).
enum class Family : uint8_t { Hopper, Blackwell10, Blackwell12 };

/// A release of the CUDA toolkit: 13.0.
struct ToolkitRelease {
  int major = 0, minor = 0;
  auto operator<=>(const ToolkitRelease &) const = default;
};

/// What a multiprocessor of the chip has, and what a CTA may take of it.
struct ChipLimits {
  int sharedBytesPerMultiprocessor = 0, sharedBytesPerBlockOptIn = 0;
  int threadsPerMultiprocessor = 0, blocksPerMultiprocessor = 0;
  int clusterSize = 0;        // non-portable; 8 is portable
  int tensorColumns = 0;      // of tensor memory; 0: there is none
  int doublesPerSingle = 2;   // how many times faster f32 is than f64
  bool hasNarrowMaps = false; // tensor maps of elements below 8 bits
};

/// One product with the chip, which the simulator stands for.
struct ChipDevice {
  std::string_view name; // "NVIDIA B200 (simulated)"
  int multiprocessors = 0;
  int gpcs = 0; // the clusters of a launch each lie within one of these; multiprocessors spread over them
                // evenly, in pairs
  int clockKilohertz = 0, memoryClockKilohertz = 0, memoryBusBits = 0;
  int l2Bytes = 0;
  uint64_t memoryBytes = 0;
};

struct Chip {
  std::string_view name;    // "sm_90a": what --target takes and the ABI records
  TargetName target;        // the same
  std::string_view product; // for people
  Family family = Family::Hopper;

  // These describe the chip's code.
  std::string_view llvmChip;        // llc -mcpu, and what PTX says as its .target
  std::string_view llvmFeatures;    // PTX version to write
  ToolkitRelease toolkit = {13, 0}; // the first whose assembler knows the chip
  int maxSharedBytes = 0;           // dynamic shared memory of one CTA (opt-in)
  int maxVectorBytes = 0;           // widest global load or store of one lane
  bool hasBulkTensor = true;        // cp.async.bulk.tensor and mbarrier
  int tensorColumns = 0;            // of tensor memory; 0: there is none
  bool hasInstructionsOf96 = false; // elements of 4 bits along K
  int scaledConversionPtx = 0;      // of cvt from fp8 pairs to bf16x2 with a scale
  int packedConversionPtx = 0; // the PTX version of cvt from bf16x2 to fp8 pairs, 91 is 9.1; 0: not there
  bool hasNarrowConversions = false;     // cvt between f32 or f16 and elements below 8 bits
  bool hasStochasticConversions = false; // cvt.rs to four of them

  // These describe the device; an image for several chips has none.
  ChipLimits limits;
  ChipDevice device;
  constexpr bool isSimulated() const { return !device.name.empty(); }
};

/// All rows, in the order of Chips.def.
std::span<const Chip> allChips();

/// The row of that name ("sm_100a"), or null.
const Chip *chipNamed(std::string_view name);
/// The simulated chip of that capability, whatever the suffix; null: there is none.
const Chip *simulatedChip(TargetName target);

/// "sm_90a, sm_100a, ..": what compiles; images with the chips that they are for: "sm_100f (10.x)".
std::string compiledChipNames();
/// "sm_90a, sm_100a, ..": what is simulated.
std::string simulatedChipNames();

} // namespace mxc
