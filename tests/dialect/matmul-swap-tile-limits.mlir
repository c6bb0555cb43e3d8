// RUN: mxc-opt --split-input-file --verify-diagnostics %s

// expected-error @below {{tokens must be 16, 32, 64 or 128, found 24}}
#tile = #mx.swap_tile<tokens = 24>

// -----

// expected-error @below {{splits must be 1, 2, 4 or 8, found 3}}
#tile = #mx.swap_tile<splits = 3>

// -----

// expected-error @below {{stages must be 2 to 16, found 1}}
#tile = #mx.swap_tile<stages = 1>

// -----

// expected-error @below {{token_stages must be 3 to 16, found 2}}
#tile = #mx.swap_tile<token_stages = 2>

// -----

// expected-error @below {{code_stages must be 2 to 16, found 17}}
#tile = #mx.swap_tile<code_stages = 17>

// -----

// expected-error @below {{parts must be 1 or 2, found 3}}
#tile = #mx.swap_tile<parts = 3>

// -----

// expected-error @below {{parts = 2 leaves registers for 32 tokens at most, found 64}}
#tile = #mx.swap_tile<tokens = 64, parts = 2>
