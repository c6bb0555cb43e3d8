// RUN: mxc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{argument name 'M' must be none of the dimensions of mx.quantize: M, K [K5]}}
mx.kernel @dimension(%M: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%M : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}

// -----

// expected-error @+1 {{argument name 'KB' must be none of the dimensions of mx.pack_scales: M, KB [K5]}}
mx.kernel @blocks(%KB: memref<?x?xf8E8M0FNU>, %b: memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) {
  mx.pack_scales ins(%KB : memref<?x?xf8E8M0FNU>) outs(%b : memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>)
}

// -----

// expected-error @+1 {{argument name 'x.y' must be a unique identifier}}
mx.kernel @dot(%x.y: memref<?x?xbf16>) {
}

// -----

// %0 is named arg0.
// expected-error @+1 {{argument name 'arg0' must be a unique identifier}}
mx.kernel @numeric(%arg0: memref<?x?xbf16>, %0: memref<?x?xbf16>) {
}

// -----

// expected-error @+1 {{must be a unique identifier of at most 64 characters}}
mx.kernel @long(%xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: memref<?x?xbf16>) {
}

// -----

// expected-error @+1 {{name must be an identifier of at most 64 characters that neither PTX nor the image uses, found 'a b' [K5]}}
mx.kernel @"a b"(%x: memref<?x?xbf16>) {
}

// -----

// A '$' begins the number of a variant.
// expected-error @+1 {{name must be an identifier of at most 64 characters that neither PTX nor the image uses, found 'a$1' [K5]}}
mx.kernel @a$1(%x: memref<?x?xbf16>) {
}

// -----

// expected-error @+1 {{has 1 arguments and 2 names [K5]}}
"mx.kernel"() <{arg_names = ["x", "y"], sym_name = "counts"}> ({
^bb0(%x: memref<?x?xbf16>):
}) : () -> ()

// -----

// expected-note @+1 {{see existing symbol definition here}}
mx.kernel @same(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %x: memref<?x?xf32>) {
  mx.dequantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) outs(%x : memref<?x?xf32>)
}
// expected-error @+1 {{redefinition of symbol named 'same'}}
mx.kernel @same(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %x: memref<?x?xf32>) {
  mx.dequantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) outs(%x : memref<?x?xf32>)
}
