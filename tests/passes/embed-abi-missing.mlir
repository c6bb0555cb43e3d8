// RUN: mxc-opt --mx-embed-abi %s -verify-diagnostics

// expected-error @+1 {{has no attribute 'mx.abi': run mx-lower-kernels first}}
module {
}
