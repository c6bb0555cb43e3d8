// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @argument_count(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{prologue must take 1 f32 (one for each input), found ('f32', 'f32') [Q4]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {
  ^bb0(%a: f32, %b: f32):
    mx.yield %a : f32
  }
}

// -----

mx.kernel @argument_type(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{prologue must take 1 f32 (one for each input), found ('bf16') [Q4]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {
  ^bb0(%a: bf16):
    %y = arith.extf %a : bf16 to f32
    mx.yield %y : f32
  }
}

// -----

mx.kernel @another_dialect(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{prologue may hold only scalar arith and math operations [Q4]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {
  ^bb0(%a: f32):
    // expected-note @+1 {{found 'llvm.intr.fabs'}}
    %y = llvm.intr.fabs(%a) : (f32) -> f32
    mx.yield %y : f32
  }
}

// -----

mx.kernel @vectors(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{prologue may hold only scalar arith and math operations [Q4]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {
  ^bb0(%a: f32):
    // expected-note @+1 {{found 'arith.constant'}}
    %v = arith.constant dense<1.0> : vector<2xf32>
    mx.yield %a : f32
  }
}

// -----

mx.kernel @no_yield(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{prologue must end in mx.yield of one value, found 'arith.negf' at its end [Q4]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {
  ^bb0(%a: f32):
    %y = arith.negf %a : f32
  }
}

// -----

mx.kernel @another_terminator(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{prologue must end in mx.yield of one value, found 'llvm.unreachable' at its end [Q4]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {
  ^bb0(%a: f32):
    llvm.unreachable
  }
}

// -----

mx.kernel @yield_type(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {
  ^bb0(%a: f32):
    %y = arith.truncf %a : f32 to bf16
    // expected-error @+1 {{must be variadic of 32-bit float}}
    mx.yield %y : bf16
  }
}

// -----

mx.kernel @two_values(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{prologue must end in mx.yield of one value, found 2 values [Q4]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {
  ^bb0(%a: f32):
    mx.yield %a, %a : f32, f32
  }
}

// -----

mx.kernel @rounding_mode(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{prologue may round to_nearest_even only [Q4]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {
  ^bb0(%a: f32):
    %n = arith.truncf %a to_nearest_even : f32 to bf16
    // expected-note @+1 {{found 'arith.truncf' with another rounding mode}}
    %b = arith.truncf %a toward_zero : f32 to bf16
    %y = arith.extf %b : bf16 to f32
    mx.yield %y : f32
  }
}

// -----

mx.kernel @no_bits(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{prologue may hold only scalar arith and math operations [Q4]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {
  ^bb0(%a: f32):
    // expected-note @+1 {{found 'arith.constant'}}
    %zero = arith.constant 0 : i0
    %y = arith.sitofp %zero : i0 to f32
    mx.yield %y : f32
  }
}

// -----

mx.kernel @eight_bits(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{prologue may hold only scalar arith and math operations [Q4]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {
  ^bb0(%a: f32):
    // expected-note @+1 {{found 'arith.truncf' of 'f8E5M2'}}
    %b = arith.truncf %a : f32 to f8E5M2
    %y = arith.extf %b : f8E5M2 to f32
    mx.yield %y : f32
  }
}
