// A record that this version cannot read is an error, not an abort.
// RUN: mxc-opt --mx-embed-abi %s -split-input-file -verify-diagnostics

// expected-error @+1 {{mx.abi}}
module attributes {mx.abi = "{\22kernels\22:[]}"} {
}

// -----

// expected-error @+1 {{mx.abi}}
module attributes {mx.abi = "no JSON"} {
}
