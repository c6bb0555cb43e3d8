// Whether a product may have a tile on a target: the one question that lowering, the heuristics and the
// listing for tuners ask. The verifier asks the part of it that holds on every chip, mx::tileRefusal.
#pragma once

#include "compiler/lowering/product/plan/ProductPlan.h"

namespace mxc {

/// A tile as a machine of the target would run it.
struct PlannedTile {
  std::unique_ptr<ProductPlan> plan; // null: no machine takes it, or an operation's constraint is against it
  std::string refusal;               // why the product may not have it, after its name; "": it may
};

/// `tile` is of a kind that the operation takes.
PlannedTile admissible(mx::ProductOpInterface op, mx::TileAttrInterface tile, const Target &target);

/// Why a tuner need not try a tile that the product may have, after its name; "": it may be the fastest.
std::string whyNotWorthwhile(mx::ProductOpInterface op, mx::TileAttrInterface tile);

/// The tile that takes every product which a chip has.
mx::TileAttrInterface generalTile(mlir::MLIRContext *context);

} // namespace mxc
