#include "tools/dev/bandwidth/Yardstick.h"

#include <chrono>

extern const char *const streamingPtx; // streaming.cu, compiled

namespace mxc::bandwidth {

namespace {

constexpr uint32_t kThreads = 256; // of every kernel here
constexpr int64_t kPiece = 8;      // elements

uint32_t ceilDivide(int64_t a, int64_t b) { return static_cast<uint32_t>((a + b - 1) / b); }

struct Traffic {
  std::string_view name;
  int inputs;           // arrays
  int64_t elementBytes; // of an input
  int64_t bytesWritten; // an element
};
constexpr Traffic kTraffics[] = {{"r2w1", 1, 2, 1}, {"r4w1", 2, 2, 1}, {"r2w2", 1, 2, 2}, {"r1w2", 1, 1, 2}};

} // namespace

std::string trafficNamed(double bytesRead, double bytesWritten) {
  const Traffic *best = nullptr;
  double bestDistance = 0;
  for (const Traffic &traffic : kTraffics) {
    double read = bytesRead - traffic.inputs * traffic.elementBytes,
           written = bytesWritten - traffic.bytesWritten;
    double distance = read * read + written * written;
    if (!best || distance < bestDistance) best = &traffic, bestDistance = distance;
  }
  return std::string(best->name);
}

Yardstick::Yardstick(const Device &device) : device_(device) {
  ContextScope scope(device_);
  const Driver &driver = device_.driver();
  device_.check(driver.cuModuleLoadDataEx(&module_, streamingPtx, 0, nullptr, nullptr),
                "compile the streaming kernels");
  device_.check(driver.cuMemAlloc_v2(&scratch_, sizeof(uint64_t)), "allocate a counter");
}

Yardstick::~Yardstick() {
  ContextScope scope(device_);
  device_.driver().cuMemFree_v2(scratch_);
  device_.driver().cuModuleUnload(module_);
}

void Yardstick::launch(const std::string &kernel, uint32_t gridX, uint32_t gridY, void **parameters, bool pdl,
                       CUstream stream) const {
  ContextScope scope(device_);
  const Driver &driver = device_.driver();
  CUfunction function = nullptr;
  device_.check(driver.cuModuleGetFunction(&function, module_, kernel.c_str()), "find kernel " + kernel);
  CUlaunchAttribute overlap{};
  overlap.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  overlap.value.programmaticStreamSerializationAllowed = 1;
  CUlaunchConfig config{};
  config.gridDimX = gridX;
  config.gridDimY = gridY;
  config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = kThreads;
  config.hStream = stream;
  config.attrs = &overlap;
  config.numAttrs = pdl ? 1 : 0;
  device_.check(driver.cuLaunchKernelEx(&config, function, parameters, nullptr), "launch " + kernel);
}

std::vector<Program> Yardstick::ceilings(const std::string &name, int64_t rows, int64_t columns) const {
  const Traffic *traffic = nullptr;
  for (const Traffic &row : kTraffics)
    if (row.name == name) traffic = &row;
  const int64_t elements = rows * columns / kPiece * kPiece;

  std::vector<Program> programs;
  for (std::string shape : {"flat4", "flat2", "flat1", "quad"}) {
    const bool quad = shape == "quad";
    if (quad && columns % kPiece != 0) continue;
    Program program;
    program.name = name + "_" + shape;
    program.ceiling = name;
    program.isCeiling = true;
    program.bytes = double(elements) * (traffic->inputs * traffic->elementBytes + traffic->bytesWritten);
    const std::string type = traffic->elementBytes == 2 ? "bf16" : "e4m3";
    program.inputs.assign(traffic->inputs,
                          {type, rows * columns * traffic->elementBytes}); // as candidates have them
    program.outputBytes = {elements * traffic->bytesWritten};

    uint32_t n = static_cast<uint32_t>(quad ? rows : elements / kPiece);
    uint32_t rowPieces = static_cast<uint32_t>(columns / kPiece);
    uint32_t loads = quad ? 4 : shape.back() - '0';
    uint32_t gridX = quad ? ceilDivide(rowPieces, 32) : ceilDivide(n, int64_t(loads) * kThreads);
    uint32_t gridY = quad ? ceilDivide(rows, 128) * 4 : 1;
    if (gridY > 65535) continue;
    program.launch = [this, kernel = program.name, n, rowPieces, gridX, gridY](const BufferSet &set, bool pdl,
                                                                               CUstream stream) {
      CUdeviceptr out = set.outputs[0], a = set.inputs.front(), b = set.inputs.back();
      uint32_t count = n, pieces = rowPieces;
      void *parameters[] = {&out, &count, &pieces, &a, &b};
      launch(kernel, gridX, gridY, parameters, pdl, stream);
    };
    programs.push_back(std::move(program));
  }
  return programs;
}

void Yardstick::fill(const Input &input, CUdeviceptr address, uint64_t seed, CUstream stream) const {
  const bool half = input.type == "bf16" || input.type == "f16", single = input.type == "f32";
  const bool special = half || single || input.type == "ue8m0";
  uint64_t n = input.bytes / (half ? 2 : single ? 4 : 1);
  void *parameters[] = {&address, &n, &seed};
  launch("fill_" + (special ? input.type : "bytes"), ceilDivide(n, kThreads), 1, parameters, false, stream);
}

uint64_t Yardstick::differences(CUdeviceptr a, CUdeviceptr b, int64_t bytes, const Stream &stream) const {
  ContextScope scope(device_);
  const Driver &driver = device_.driver();
  uint64_t n = bytes, count = 0;
  CUdeviceptr counter = scratch_;
  device_.check(driver.cuMemsetD8Async(counter, 0, sizeof count, stream), "clear a counter");
  void *parameters[] = {&a, &b, &n, &counter};
  launch("count_differences", ceilDivide(bytes, kThreads), 1, parameters, false, stream);
  stream.synchronize();
  device_.check(driver.cuMemcpyDtoH_v2(&count, counter, sizeof count), "read a counter");
  return count;
}

void Yardstick::warm(double seconds, const Stream &stream) const {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  uint32_t iterations = 20000;
  CUdeviceptr out = scratch_;
  void *parameters[] = {&out, &iterations};
  while (Clock::now() < end) {
    launch("warm", device_.limits().multiprocessors * 4, 1, parameters, false, stream);
    stream.synchronize();
  }
}

} // namespace mxc::bandwidth
