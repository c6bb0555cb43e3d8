// The model of matrix products rests on these rates of a chip. docs/model.md ("The model of the
// tensor pipe") names the sources.
#pragma once

namespace mxc {

struct TensorRates {
  int multiprocessors;         // for which a product's time is modelled; launches ask the device
  double cyclesPerSecond;      // at which the tensor pipe runs when power allows it
  double memoryBytesPerSecond; // read
  double l2Bytes;
  int copyBytesPerCycle;    // from L2 into one multiprocessor
  int operandBytesPerCycle; // of shared memory, that one multiprocessor's tensor core reads
  int columnsPerCycle;      // of 128 rows of c, in one instruction of 32 bytes along K
  int bytesInFlight;        // a multiprocessor that the memory's latency asks for
};

} // namespace mxc
