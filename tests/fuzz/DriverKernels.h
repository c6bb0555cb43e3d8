// What the fuzzer of the driver loads: kernels with parameters of every width, a variable, clusters, shared
// memory, a loop without end.
#pragma once

inline const char *const kDriverKernels = R"(
.version 8.8
.target sm_100a
.address_size 64
.visible .global .align 4 .b32 answer = 42;
.visible .entry add_one(.param .u64 x, .param .u64 y) {
  .reg .b32 %r<6>;
  .reg .b64 %a<5>;
  ld.param.u64 %a1, [x];
  ld.param.u64 %a2, [y];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r1, %r3, %r2;
  mul.wide.u32 %a3, %r4, 4;
  add.u64 %a4, %a1, %a3;
  ld.global.u32 %r5, [%a4];
  add.u32 %r5, %r5, 1;
  add.u64 %a4, %a2, %a3;
  st.global.u32 [%a4], %r5;
  ret;
}
.visible .entry spin() { L: bra L; }
.visible .entry wide_one(.param .align 64 .b8 map[128], .param .u8 b, .param .u16 h, .param .u32 w) .reqntid 32 {
  .shared .align 16 .b8 tile[2048];
  .local .align 16 .b8 stack[1024];
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [w];
  st.shared.u32 [tile], %r1;
  st.local.u32 [stack+1020], %r1;
  ret;
}
.visible .entry clustered() .reqnctapercluster 2 { barrier.cluster.arrive; barrier.cluster.wait; ret; }
)";
