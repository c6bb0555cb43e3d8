// RUN: mxc-opt %s -split-input-file -verify-diagnostics

llvm.func @store_rows(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "r" first = 0 warps = 1 {
    // expected-error @+1 {{expected rows, found none}}
    "mx.store_box"(%map, %i, %s, %i) <{buffers = 1 : i32, operandSegmentSizes = array<i32: 0, 1, 1, 1, 1>}> : (!llvm.ptr, i32, !llvm.ptr<3>, i32) -> ()
  }
  llvm.return
}

// -----

llvm.func @store_type(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "r" first = 0 warps = 1 {
    // expected-error @+1 {{expected vectors of one type, found}}
    mx.store_box %i to %map[%i] through %s box %i buffers = 1 : i32 to !llvm.ptr through !llvm.ptr<3>
  }
  llvm.return
}

// -----

llvm.func @store_buffers(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "r" first = 0 warps = 1 {
    // expected-error @+1 {{expected a buffer at least, found 0}}
    mx.store_box %i to %map[%i] through %s box %i buffers = 0 : i32 to !llvm.ptr through !llvm.ptr<3>
  }
  llvm.return
}

// -----

llvm.func @drain(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  // expected-error @+1 {{expected mx.role around it, found none}}
  mx.drain_stores
  mx.role "r" first = 0 warps = 1 {
  }
  llvm.return
}

// -----

llvm.func @store_bytes(%map: !llvm.ptr, %s: !llvm.ptr<3>, %i: i32, %four: vector<4xf32>, %two: vector<2xf32>, %one: vector<1xf32>) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "store" first = 0 warps = 1 {
    // expected-error @+1 {{expected vectors of 16 bytes, found 8}}
    mx.store_box %two to %map[%i] through %s box %i buffers = 1 : vector<2xf32> to !llvm.ptr through !llvm.ptr<3>
  }
  llvm.return
}

// -----

llvm.func @store_long_row(%map: !llvm.ptr, %s: !llvm.ptr<3>, %i: i32, %four: vector<4xf32>, %two: vector<2xf32>, %one: vector<1xf32>) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "store" first = 0 warps = 1 {
    // expected-error @+1 {{expected at most 128 bytes a row, found 144}}
    mx.store_box %four, %four, %four, %four, %four, %four, %four, %four, %four to %map[%i] through %s box %i buffers = 1 : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32> to !llvm.ptr through !llvm.ptr<3>
  }
  llvm.return
}

// -----

llvm.func @store_fragment_bytes(%map: !llvm.ptr, %s: !llvm.ptr<3>, %i: i32, %four: vector<4xf32>, %two: vector<2xf32>, %one: vector<1xf32>) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "store" first = 0 warps = 1 {
    // expected-error @+1 {{expected vectors of 4 or 8 bytes, found 16}}
    mx.store_box fragments %four, %four to %map[%i] through %s box %i buffers = 1 : vector<4xf32>, vector<4xf32> to !llvm.ptr through !llvm.ptr<3>
  }
  llvm.return
}

// -----

llvm.func @store_one_row(%map: !llvm.ptr, %s: !llvm.ptr<3>, %i: i32, %four: vector<4xf32>, %two: vector<2xf32>, %one: vector<1xf32>) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "store" first = 0 warps = 1 {
    // expected-error @+1 {{expected fragments of two rows in turn, found 1}}
    mx.store_box fragments %two to %map[%i] through %s box %i buffers = 1 : vector<2xf32> to !llvm.ptr through !llvm.ptr<3>
  }
  llvm.return
}

// -----

llvm.func @store_staging(%map: !llvm.ptr, %s: !llvm.ptr<3>, %i: i32, %four: vector<4xf32>, %two: vector<2xf32>, %one: vector<1xf32>) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "store" first = 0 warps = 1 {
    // expected-error @+1 {{staging expected !llvm.ptr<3>, found}}
    mx.store_box %four to %map[%i] through %map box %i buffers = 1 : vector<4xf32> to !llvm.ptr through !llvm.ptr
  }
  llvm.return
}

// -----

llvm.func @store_coordinates(%map: !llvm.ptr, %s: !llvm.ptr<3>, %i: i32, %four: vector<4xf32>, %two: vector<2xf32>, %one: vector<1xf32>) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "store" first = 0 warps = 1 {
    // expected-error @+1 {{coordinates expected 1 to 5, found 6}}
    mx.store_box %four to %map[%i, %i, %i, %i, %i, %i] through %s box %i buffers = 1 : vector<4xf32> to !llvm.ptr through !llvm.ptr<3>
  }
  llvm.return
}

// -----

llvm.func @store_outside(%map: !llvm.ptr, %s: !llvm.ptr<3>, %i: i32, %four: vector<4xf32>) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  // expected-error @+1 {{expected mx.role around it, found none}}
  mx.store_box %four to %map[%i] through %s box %i buffers = 1 : vector<4xf32> to !llvm.ptr through !llvm.ptr<3>
  mx.role "store" first = 0 warps = 1 {
  }
  llvm.return
}

// -----

llvm.func @store_transposed(%map: !llvm.ptr, %s: !llvm.ptr<3>, %i: i32, %w: vector<4xi32>) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "r" first = 0 warps = 1 {
    // expected-error @+1 {{transposed expected fragments}}
    mx.store_box transposed %w to %map[%i] through %s box %i buffers = 1 : vector<4xi32> to !llvm.ptr through !llvm.ptr<3>
  }
  llvm.return
}

// -----

llvm.func @store_transposed_columns(%map: !llvm.ptr, %s: !llvm.ptr<3>, %i: i32, %w: vector<1xi32>) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "r" first = 0 warps = 1 {
    // expected-error @+1 {{expected fragments of 16 columns at a time, found 24}}
    mx.store_box fragments transposed %w, %w, %w, %w, %w, %w to %map[%i] through %s box %i buffers = 1 : vector<1xi32>, vector<1xi32>, vector<1xi32>, vector<1xi32>, vector<1xi32>, vector<1xi32> to !llvm.ptr through !llvm.ptr<3>
  }
  llvm.return
}
