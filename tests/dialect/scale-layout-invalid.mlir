// RUN: mxc-opt %s -split-input-file -verify-diagnostics

// expected-error @+2 {{expected ::mxc::mx::ScaleLayoutKind to be one of: dense, tcgen05}}
// expected-error @+1 {{failed to parse Mx_ScaleLayoutAttr parameter 'kind'}}
module attributes {layout = #mx.scale_layout<swizzled>} {}

// -----

// expected-error @+1 {{scale layout needs a matrix [rows, blocks] or a batch of them, found rank 1}}
module attributes {type = memref<?xf8E8M0FNU, #mx.scale_layout<tcgen05>>} {}
