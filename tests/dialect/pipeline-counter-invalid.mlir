// RUN: mxc-opt %s -split-input-file -verify-diagnostics

llvm.func @ticket(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  // expected-error @+1 {{expected mx.role around it, found none}}
  %x = mx.ticket %g : !llvm.ptr<1>
  mx.role "r" first = 0 warps = 1 {
  }
  llvm.return
}

// -----

llvm.func @publish(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  // expected-error @+1 {{expected mx.role around it, found none}}
  mx.publish %g : !llvm.ptr<1>
  mx.role "r" first = 0 warps = 1 {
  }
  llvm.return
}

// -----

llvm.func @await(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "r" first = 0 warps = 1 {
    // expected-error @+1 {{complete expected at least 1, found 0}}
    mx.await %g[%i] of %i complete = 0 : !llvm.ptr<1>
  }
  llvm.return
}

// -----

llvm.func @last_of(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "r" first = 0 warps = 1 {
    // expected-error @+1 {{count expected at least 1, found 0}}
    %x = mx.last_of %g count = 0 : !llvm.ptr<1>
  }
  llvm.return
}

// -----

llvm.func @leave(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "r" first = 0 warps = 1 {
    // expected-error @+1 {{warps expected 1 to 8, found 9}}
    mx.leave %g words %i through %g warps = 9 : !llvm.ptr<1>, !llvm.ptr<1>
  }
  llvm.return
}

// -----

llvm.func @cluster_barrier(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  // expected-error @+1 {{expected mx.pipeline before it}}
  mx.cluster_barrier
  llvm.return
}

// -----

llvm.func @cluster_load(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  // expected-error @+1 {{expected mx.pipeline before it}}
  %x = mx.cluster_load %s of %i : !llvm.ptr<3> -> vector<4xf32>
  llvm.return
}

// -----

llvm.func @no_counts(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "r" first = 0 warps = 1 {
    // expected-error @+1 {{expected counts, found none}}
    "mx.await"(%i, %i) <{complete = 1 : i32}> : (i32, i32) -> ()
  }
  llvm.return
}

// -----

llvm.func @await_outside(%g: !llvm.ptr<1>, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  // expected-error @+1 {{expected mx.role around it, found none}}
  mx.await %g[%i] of %i complete = 1 : !llvm.ptr<1>
  mx.role "r" first = 0 warps = 1 {
  }
  llvm.return
}

// -----

llvm.func @last_of_outside(%g: !llvm.ptr<1>, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  // expected-error @+1 {{expected mx.role around it, found none}}
  %x = mx.last_of %g count = 1 : !llvm.ptr<1>
  mx.role "r" first = 0 warps = 1 {
  }
  llvm.return
}

// -----

llvm.func @leave_outside(%g: !llvm.ptr<1>, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  // expected-error @+1 {{expected mx.role around it, found none}}
  mx.leave %g words %i through %g warps = 1 : !llvm.ptr<1>, !llvm.ptr<1>
  mx.role "r" first = 0 warps = 1 {
  }
  llvm.return
}
