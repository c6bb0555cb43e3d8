// Tiles of quantize along columns and along both axes, measured on an H200 (docs/performance/quantize.md).
// Chips that nobody measured take them, too.
#pragma once

#include "compiler/targets/Target.h"

namespace mxc {

// Row tiles first where only the transposed copy is written, in runs; with two copies the one along rows asks
// for the other way. A cluster's CTAs store at one time, so that 256 bytes of a copy's row reach memory
// together; of small matrices too few large ones would fill the device, and the smallest have nothing to meet
// for. Small matrices take tiles of 64 columns, twice the CTAs: 1024x7168 has all of them under way at one
// time. What stores 16 bytes comes first; rows of other lengths take the widest pieces that they allow.
inline constexpr std::string_view kColumnTiles[] = {
    R"(#mx.column_tile<cluster_rows = 2, ctas_per_sm = 3, when = "M * K > 8388608">)",
    R"(#mx.column_tile<columns = 64, cluster_columns = 2, ctas_per_sm = 6, when = "M * K > 4194304">)",
    "#mx.column_tile<columns = 64, ctas_per_sm = 6>",
    "#mx.column_tile<ctas_per_sm = 3>",
    "#mx.column_tile<store_bytes = 1, ctas_per_sm = 3>",
};

inline constexpr std::string_view kBothTiles[] = {
    "#mx.column_tile<order = columns, cluster_rows = 2, cluster_columns = 2, ctas_per_sm = 3,"
    " when = \"M * K > 33554432\">",
    "#mx.column_tile<columns = 64, order = columns, cluster_columns = 2, ctas_per_sm = 6,"
    " when = \"M * K > 4194304\">",
    "#mx.column_tile<columns = 64, order = columns, ctas_per_sm = 6>",
    R"(#mx.column_tile<order = columns, cluster_rows = 2, ctas_per_sm = 3, when = "M * K > 8388608">)",
    "#mx.column_tile<order = columns, ctas_per_sm = 3>",
    "#mx.column_tile<store_bytes = 1, order = columns, cluster_rows = 2, ctas_per_sm = 3>",
};

// A lane's 64 elements in f32 take twice the registers.
inline constexpr std::string_view kWideColumnTiles[] = {
    "#mx.column_tile<ctas_per_sm = 2>",
    "#mx.column_tile<store_bytes = 1, ctas_per_sm = 2>",
};

inline constexpr std::string_view kWideBothTiles[] = {
    "#mx.column_tile<order = columns, cluster_rows = 2, ctas_per_sm = 2, when = \"M * K > 33554432\">",
    "#mx.column_tile<order = columns, ctas_per_sm = 2>",
    "#mx.column_tile<store_bytes = 1, order = columns, cluster_rows = 2, ctas_per_sm = 2>",
};

inline constexpr std::string_view kColumnCandidates[] = {
    "#mx.column_tile<>",
    "#mx.column_tile<ctas_per_sm = 3>",
    "#mx.column_tile<ctas_per_sm = 3, cluster_rows = 2>",
    "#mx.column_tile<ctas_per_sm = 3, cluster_rows = 2, cluster_columns = 2>",
    "#mx.column_tile<ctas_per_sm = 3, order = columns>",
    "#mx.column_tile<ctas_per_sm = 3, order = columns, cluster_rows = 2>",
    "#mx.column_tile<ctas_per_sm = 3, order = columns, cluster_rows = 2, cluster_columns = 2>",
    "#mx.column_tile<ctas_per_sm = 3, order = columns, cluster_rows = 4, cluster_columns = 2>",
    "#mx.column_tile<ctas_per_sm = 3, order = columns, cluster_rows = 2, cluster_columns = 4>",
    "#mx.column_tile<ctas_per_sm = 2, order = columns, cluster_rows = 2, cluster_columns = 2>",
    "#mx.column_tile<order = columns, cluster_rows = 2, cluster_columns = 2>",
    "#mx.column_tile<columns = 256, cluster_rows = 2>",
    "#mx.column_tile<columns = 256, order = columns, cluster_rows = 2>",
    "#mx.column_tile<columns = 64, ctas_per_sm = 6>",
    "#mx.column_tile<columns = 64, ctas_per_sm = 6, cluster_columns = 2>",
    "#mx.column_tile<columns = 64, ctas_per_sm = 6, order = columns, cluster_columns = 2>",
    "#mx.column_tile<columns = 64, ctas_per_sm = 7>",
    "#mx.column_tile<columns = 64, ctas_per_sm = 7, cluster_columns = 2>",
    "#mx.column_tile<columns = 64, ctas_per_sm = 7, order = columns>",
    "#mx.column_tile<columns = 64, ctas_per_sm = 7, order = columns, cluster_columns = 2>",
    "#mx.column_tile<columns = 64, ctas_per_sm = 7, order = columns, cluster_rows = 2, cluster_columns = 4>",
    "#mx.column_tile<load = direct>",
    "#mx.column_tile<load = direct, order = columns, cluster_rows = 2, cluster_columns = 2>",
};

inline constexpr ColumnTiles kH200ColumnTiles = {.columns = kColumnTiles,
                                                 .both = kBothTiles,
                                                 .wideColumns = kWideColumnTiles,
                                                 .wideBoth = kWideBothTiles,
                                                 .candidates = kColumnCandidates};

} // namespace mxc
