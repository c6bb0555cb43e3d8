// The rings and roles of one entry point while they become barriers, phases and warps.
#pragma once

#include "compiler/lowering/pipeline/RingShape.h"
#include "dialect/MxOps.h"

#include "llvm/ADT/MapVector.h"

namespace mxc {

using mx::Engine;
using EnginesByRole = llvm::MapVector<mlir::Operation *, Engine>;

/// Where a ring lies and how its barriers count.
struct RingPlace {
  RingShape shape;
  RingLayout layout;
  mlir::SmallVector<int64_t> parts; // byte offset of each part in a stage
  int column = 0;                   // of stage 0 in tensor memory
  bool isMultiplied = false;        // by mx.full_rate_product
  EnginesByRole fillers, users;

  /// How the role around `op` fills or uses the ring; where none is, one thread, or all of them.
  Engine filler(mlir::Operation *op) const { return fillers.lookup(op->getParentOfType<mx::RoleOp>()); }
  Engine user(mlir::Operation *op) const { return users.lookup(op->getParentOfType<mx::RoleOp>()); }
};

class Pipeline {
public:
  /// Places the rings and shared regions of `function`, whose roles are not lowered yet, in their order.
  explicit Pipeline(mlir::Operation *function);

  mx::PipelineOp operation() const { return op_; }
  bool isPair() const { return isPair_; }       // one tile of two CTAs
  bool isSharing() const { return isSharing_; } // two tiles of two CTAs
  bool isWithin() const { return isWithin_; }   // a step of a kernel, not all of it
  bool isTwo() const { return isPair_ || isSharing_; }
  bool isCluster() const { return isTwo() || splits_ > 1; }
  bool hasEarlyRoles() const { return hasEarlyRoles_; }
  int64_t announcedBytes(mx::FillOp fill) const {
    return announced_.lookup(fill);
  } // of its copies, in all CTAs
  const RingPlace &place(mlir::Value ring) const { return rings_.find(ring)->second; }

  /// Whether the memory that the pipeline lies within holds its rings; failure after an error.
  mlir::LogicalResult requireMemory();
  /// Emits what precedes the roles: barriers, tensor memory, the synchronisation of all; and what follows
  /// them.
  void begin(mlir::OpBuilder &builder, mlir::Location loc);
  void end(mlir::OpBuilder &builder, mlir::Location loc);
  /// Gives warpgroups their registers, around their roles; after begin() and end().
  void setRegisters(mlir::Operation *function);

  // Values at any place of the function, after begin().
  mlir::Value shared(const ValueBuilder &v, int64_t offset) const; // ptr<3>
  Ring ring(mlir::Value ring) const { return Ring(place(ring).layout, sharedBase_); }
  /// The same ring in the even CTA of the pair, whose barriers copies of both CTAs complete on.
  Ring leaderRing(mlir::Value ring) const { return Ring(place(ring).layout, leaderBase_); }
  mlir::Value part(const ValueBuilder &v, mlir::Value ring, int part, mlir::Value stage) const; // ptr<3>
  /// Where a part lies, as matrix descriptors say it: i32, in units of 16 bytes.
  mlir::Value units(const ValueBuilder &v, mlir::Value ring, int part, mlir::Value stage) const;
  /// A matrix descriptor (i64) of a part: `fields` with the address, in units of 16 bytes, added.
  mlir::Value descriptor(const ValueBuilder &v, mlir::Value ring, int part, mlir::Value stage,
                         int64_t fields) const;
  mlir::Value column(const ValueBuilder &v, mlir::Value ring,
                     mlir::Value stage) const; // i32: tensor memory address
  mlir::Value warp() const { return warp_; }   // i32, in the CTA
  mlir::Value lane() const { return lane_; }   // i32
  mlir::Value rank() const { return rank_; }   // i32, in the cluster; null without one
  int64_t offsetOf(mx::SharedOp op) const { return regions_.lookup(op); }

private:
  int warpsIn(mx::RoleOp role) const;
  void findEngines(mlir::Operation *function);
  void layOut(mlir::Operation *function);
  int arrivals(const EnginesByRole &roles, bool full) const;
  void initBarriers(const ValueBuilder &v);
  void beginWithin(const ValueBuilder &v);

  llvm::MapVector<mlir::Value, RingPlace> rings_;
  llvm::DenseMap<mlir::Operation *, int64_t> regions_, announced_;
  mx::PipelineOp op_;
  bool isPair_ = false, isSharing_ = false, isWithin_ = false, hasEarlyRoles_ = false;
  int splits_ = 1;
  SharedLayout shared_;
  int64_t addressSlot_ = 0;
  int tensorColumns_ = 0;
  mlir::Value sharedBase_, leaderBase_, sharedUnits_, tensorBase_, warp_, lane_, rank_;
};

/// The thread's number (i32) among those of the role.
mlir::Value threadIn(const ValueBuilder &v, mx::RoleOp role, const Pipeline &pipeline);

/// One lane of the warp executes `body`.
void electOne(const ValueBuilder &v, llvm::function_ref<void()> body);

} // namespace mxc
