// A record that this version cannot read is an error, not an abort.
// RUN: mxc-opt --mx-embed-abi %s -split-input-file -verify-diagnostics

// expected-error @+1 {{mx.abi}}
module attributes {mx.abi = "{\22kernels\22:[]}"} {
}

// -----

// expected-error @+1 {{mx.abi}}
module attributes {mx.abi = "no JSON"} {
}

// -----

// expected-error @+1 {{it carries version 2 of the ABI, and this mxc reads version 3 alone: compile the kernel again}}
module attributes {mx.abi = "{\22version\22:2,\22compiler_version\22:\22test\22,\22numerics_version\22:1,\22target\22:\22sm_90a\22,\22kernels\22:[]}"} {
}
