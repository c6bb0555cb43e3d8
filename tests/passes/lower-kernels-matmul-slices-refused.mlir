// Clusters that share a tile's steps along K find out warp by warp which is last; results along columns leave by pairs of warps. So on
// sm_90a the two do not go together, and the heuristics and the tuner leave such tiles out.
// RUN: not mxc compile %s --target=sm_90a --tile='n = 128, stages = 4, slices = 2' -o %t.cubin 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: mxc compile %s --target=sm_90a --list-tiles | FileCheck %s --check-prefix=TILES --implicit-check-not='slices = {{[2-9]}}'
// REFUSED: slices = 2, which results quantized along columns do not take: pairs of warps store them
// TILES: a = in_flight
#scales = #mx.scale_layout<tcgen05>
mx.kernel @both(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>, %sb: memref<?x?xf8E8M0FNU, #scales>,
                %c: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU, #scales>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>)
            outs(%c, (%q, %s) {axis = column} : memref<?x?xbf16>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) {
  ^bb0(%product: f32):
    mx.yield %product, %product : f32, f32
  }
}
