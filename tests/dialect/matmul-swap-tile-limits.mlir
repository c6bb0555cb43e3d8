// RUN: mxc-opt --split-input-file --verify-diagnostics %s

// expected-error @below {{columns must be 64 or 128, found 256}}
#tile = #mx.swap_tile<columns = 256>

// -----

// expected-error @below {{tokens must be 16, 32, 48, 64, 96, 128, 192 or 256, found 24}}
#tile = #mx.swap_tile<tokens = 24>

// -----

// expected-error @below {{splits must be 1 to 8, found 9}}
#tile = #mx.swap_tile<splits = 9>

// -----

// expected-error @below {{stages must be 2 to 16, found 1}}
#tile = #mx.swap_tile<stages = 1>

// -----

// expected-error @below {{token_stages must be 3 to 16, found 2}}
#tile = #mx.swap_tile<token_stages = 2, code_stages = 0>

// -----

// expected-error @below {{token_stages must be 2 to 16, found 1}}
#tile = #mx.swap_tile<columns = 64, token_stages = 1>

// -----

// expected-error @below {{code_stages must be 0 or 2 to 16, found 1}}
#tile = #mx.swap_tile<code_stages = 1>

// -----

// expected-error @below {{code_stages must be 0 or 2 to 16, found 17}}
#tile = #mx.swap_tile<code_stages = 17>

// -----

// expected-error @below {{ctas_per_sm must be 0 to 4, found 5}}
#tile = #mx.swap_tile<ctas_per_sm = 5>

// -----

// expected-error @below {{parts must be 1, 2 or 4, found 3}}
#tile = #mx.swap_tile<parts = 3>

// -----

// expected-error @below {{parts must be at most 2 with columns = 128, found 4}}
#tile = #mx.swap_tile<parts = 4>

// -----

// expected-error @below {{registers do not do for the sums of 128 columns x 96 tokens in 2 parts}}
#tile = #mx.swap_tile<tokens = 96, parts = 2>

// -----

// expected-error @below {{load = element goes with a = copied}}
#tile = #mx.matmul_tile<load = element, store = rows, a = in_flight>
