// RUN: not mxc-opt --mx-select-tiles=target=sm_80 %s 2>&1 | FileCheck %s
// RUN: not mxc-opt --mx-lower-kernels=target=sm_80 %s 2>&1 | FileCheck %s
// RUN: not mxc-opt --pass-pipeline='builtin.module(mx-kernel-stage{target=sm_80})' %s 2>&1 | FileCheck %s

// CHECK: error: unknown target 'sm_80', expected sm_90a sm_100a sm_103a sm_100f sm_107a sm_107f sm_120a sm_121a sm_120f
module {
}
