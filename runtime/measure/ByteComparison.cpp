#include "runtime/measure/ByteComparison.h"

#include <algorithm>

namespace mxc::measure {

// Threads stride over words of 8 bytes and then over the rest; in a word that differs, bytes count if adding
// 0x7f sets their upper bit. This is plain PTX of version 7.0: any driver finishes it for any chip, and the
// simulator runs it.
const char *ByteComparison::ptx() {
  return R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry count_differences(.param .u64 a, .param .u64 b, .param .u64 bytes, .param .u64 count) {
  .reg .b64 %a, %b, %n, %count, %i, %step, %x, %y, %place, %found, %words, %rest;
  .reg .b32 %r<4>, %lo, %hi;
  .reg .pred %p;
  ld.param.u64 %a, [a];
  ld.param.u64 %b, [b];
  ld.param.u64 %n, [bytes];
  ld.param.u64 %count, [count];
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %nctaid.x;
  mul.wide.u32 %i, %r0, %r1;
  cvt.u64.u32 %x, %r2;
  add.u64 %i, %i, %x;
  mul.wide.u32 %step, %r3, %r1;
  mov.u64 %found, 0;
  shr.u64 %words, %n, 3;
  and.b64 %rest, %n, 7;
  mov.u64 %place, %i;
WORDS:
  setp.ge.u64 %p, %place, %words;
  @%p bra REST;
  shl.b64 %x, %place, 3;
  add.u64 %y, %b, %x;
  add.u64 %x, %a, %x;
  ld.global.u64 %x, [%x];
  ld.global.u64 %y, [%y];
  add.u64 %place, %place, %step;
  xor.b64 %x, %x, %y;
  setp.eq.u64 %p, %x, 0;
  @%p bra WORDS;
  and.b64 %y, %x, 0x7f7f7f7f7f7f7f7f;
  add.u64 %y, %y, 0x7f7f7f7f7f7f7f7f;
  or.b64 %x, %x, %y;
  and.b64 %x, %x, 0x8080808080808080;
  popc.b64 %lo, %x;
  cvt.u64.u32 %x, %lo;
  add.u64 %found, %found, %x;
  bra WORDS;
REST:
  setp.ge.u64 %p, %i, %rest;
  @%p bra DONE;
  shl.b64 %x, %words, 3;
  add.u64 %x, %x, %i;
  add.u64 %y, %b, %x;
  add.u64 %x, %a, %x;
  ld.global.u8 %lo, [%x];
  ld.global.u8 %hi, [%y];
  setp.eq.u32 %p, %lo, %hi;
  @%p bra DONE;
  add.u64 %found, %found, 1;
DONE:
  setp.eq.u64 %p, %found, 0;
  @%p bra END;
  red.global.add.u64 [%count], %found;
END:
  ret;
}
)";
}

ByteComparison::ByteComparison(const Device &device) : device_(device) {
  ContextScope scope(device_);
  const Driver &driver = device_.driver();
  device_.check(driver.cuModuleLoadDataEx(&module_, ptx(), 0, nullptr, nullptr), "compile a comparison");
  CUresult result = driver.cuModuleGetFunction(&function_, module_, "count_differences");
  if (result == CUDA_SUCCESS) result = driver.cuMemAlloc_v2(&count_, sizeof(uint64_t));
  if (result == CUDA_SUCCESS) return;
  driver.cuModuleUnload(module_);
  device_.check(result, "prepare a comparison");
}

ByteComparison::~ByteComparison() {
  ContextScope scope(device_);
  device_.driver().cuMemFree_v2(count_);
  device_.driver().cuModuleUnload(module_);
}

uint64_t ByteComparison::differences(uint64_t a, uint64_t b, uint64_t bytes) const {
  constexpr unsigned kThreads = 256, kMostCtas = 4096;
  if (bytes == 0) return 0;
  ContextScope scope(device_);
  const Driver &driver = device_.driver();
  device_.check(driver.cuMemsetD8_v2(count_, 0, sizeof(uint64_t)), "clear a counter");
  uint64_t count = count_;
  void *parameters[] = {&a, &b, &bytes, &count};
  CUlaunchConfig config{};
  config.gridDimX = static_cast<unsigned>(std::clamp<uint64_t>(bytes / 8 / kThreads, 1, kMostCtas));
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = kThreads;
  device_.check(driver.cuLaunchKernelEx(&config, function_, parameters, nullptr), "launch a comparison");
  uint64_t found = 0;
  device_.check(driver.cuMemcpyDtoH_v2(&found, count_, sizeof found), "read a counter");
  return found;
}

} // namespace mxc::measure
