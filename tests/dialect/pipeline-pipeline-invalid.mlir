// RUN: mxc-opt %s -split-input-file -verify-diagnostics

llvm.func @no_role(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  // expected-error @+1 {{expected an mx.role in its function, found none}}
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  llvm.return
}

// -----

llvm.func @warps(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  // expected-error @+1 {{warps expected 1 to 32, found 33}}
  mx.pipeline warps = 33 tensor_columns = 0 allocating_warp = 0
  mx.role "r" first = 0 warps = 1 {
  }
  llvm.return
}

// -----

llvm.func @allocating_warp(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  // expected-error @+1 {{allocating_warp expected 0 to 3, found 4}}
  mx.pipeline warps = 4 tensor_columns = 32 allocating_warp = 4
  mx.role "r" first = 0 warps = 1 {
  }
  llvm.return
}

// -----

llvm.func @columns(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  // expected-error @+1 {{tensor_columns expected 0 or a power of two from 32 to 512, found 96}}
  mx.pipeline warps = 4 tensor_columns = 96 allocating_warp = 0
  mx.role "r" first = 0 warps = 1 {
  }
  llvm.return
}

// -----

llvm.func @pair_and_sharing(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  // expected-error @+1 {{expected one of pair, sharing and splits, found several}}
  mx.pipeline warps = 4 tensor_columns = 0 allocating_warp = 0 pair sharing
  mx.role "r" first = 0 warps = 1 {
  }
  llvm.return
}

// -----

llvm.func @splits(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  // expected-error @+1 {{splits expected 1 to 16, found 0}}
  mx.pipeline warps = 4 tensor_columns = 0 allocating_warp = 0 splits = 0
  mx.role "r" first = 0 warps = 1 {
  }
  llvm.return
}

// -----

llvm.func @registers(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  // expected-error @+1 {{registers expected a number a warpgroup of 4 warps, found 2}}
  mx.pipeline warps = 4 tensor_columns = 0 allocating_warp = 0 registers = [24, 24]
  mx.role "r" first = 0 warps = 1 {
  }
  llvm.return
}

// -----

llvm.func @register_steps(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  // expected-error @+1 {{registers expected multiples of 8 from 24 to 256, found 25}}
  mx.pipeline warps = 4 tensor_columns = 0 allocating_warp = 0 registers = [25]
  mx.role "r" first = 0 warps = 1 {
  }
  llvm.return
}

// -----

// expected-error @+1 {{expected a function around it, found none}}
mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0

// -----

llvm.func @second(%map: !llvm.ptr, %i: i32) {
  // expected-error @+1 {{expected one a function, found another one}}
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  // expected-note @+1 {{the other one}}
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "r" first = 0 warps = 1 {
  }
  llvm.return
}
