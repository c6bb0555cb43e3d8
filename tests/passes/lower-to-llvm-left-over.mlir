// What no pattern lowers is an error, of whatever dialect it is.
// RUN: mxc-opt --mx-lower-to-llvm -split-input-file -verify-diagnostics %s

llvm.func @tile_operation(%x: vector<8xbf16>, %ok: i1) {
  // expected-error @+1 {{failed to legalize operation 'mx.block_amax'}}
  %0 = mx.block_amax %x valid %ok lanes = 4 special = propagate : vector<8xbf16> -> i32
  llvm.return
}

// -----

llvm.func @pipeline() {
  // expected-error @+1 {{failed to legalize operation 'mx.pipeline'}}
  mx.pipeline warps = 1 tensor_columns = 0 allocating_warp = 0
  mx.role "none" first = 0 warps = 1 {
  }
  llvm.return
}

// -----

llvm.func @loop(%n: i32, %c: i1) {
  // expected-error @+1 {{failed to legalize operation 'scf.if'}}
  scf.if %c {
    nvvm.barrier0
  }
  llvm.return
}
