#ifndef MXC_DIALECT_ATTRIBUTES_MXINTERFACES_TD
#define MXC_DIALECT_ATTRIBUTES_MXINTERFACES_TD

include "mlir/IR/OpBase.td"

def Mx_KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::mxc::mx";
  let description = [{
    The one operation of an mx.kernel. What it says here is all that mx.kernel's verifier, the kernel's signature and the ABI
    ask of it. How it is lowered stands in compiler/lowering (KernelLoweringInterface), what it computes on the host in
    compiler/reference.
  }];
  let methods = [
    InterfaceMethod<"The dimensions that its operands' shapes are expressed in, in the ABI's order: M, K.",
      "::llvm::ArrayRef<::llvm::StringRef>", "getDimensionNames">,
    InterfaceMethod<"What each operand is, in the operation's order.",
      "::llvm::SmallVector<::mxc::mx::KernelOperand>", "getKernelOperands">,
    InterfaceMethod<"Its multiply-adds; no dimensions: it has none.",
      "::mxc::mx::MultiplyAdds", "getMultiplyAdds", (ins), [{}], [{ return {}; }]>,
    InterfaceMethod<"What the ABI records of the operation beside its operands: `rounding` is `ceil`.",
      "::mxc::mx::AbiAttributes", "getAbiAttributes", (ins), [{}], [{ return {}; }]>,
    InterfaceMethod<"The block of scalar operations that the user wrote, or null.",
      "::mlir::Block *", "getScalarBlock", (ins), [{}], [{
        for (::mlir::Region &region : $_op->getRegions())
          if (!region.empty()) return &region.front();
        return nullptr;
      }]>,
  ];
}

def Mx_TiledOpInterface : OpInterface<"TiledOpInterface"> {
  let cppNamespace = "::mxc::mx";
  let description = [{
    A kernel-level operation with a list of tiles, of which the first whose condition holds is launched. The accessors of an
    attribute `tiles` are most of it.
  }];
  let methods = [
    InterfaceMethod<"Its tiles, or null.", "::mlir::ArrayAttr", "getTilesAttr">,
    InterfaceMethod<"Sets them.", "void", "setTilesAttr", (ins "::mlir::ArrayAttr":$tiles)>,
    InterfaceMethod<"The attributes that may stand in the list: mx.quantize_tile.",
      "::llvm::ArrayRef<::llvm::StringRef>", "getTileKinds">,
  ];
}

def Mx_ProductOpInterface : OpInterface<"ProductOpInterface"> {
  let cppNamespace = "::mxc::mx";
  let description = [{
    A block-scaled product: what the machines of products (compiler/lowering/product) ask of mx.matmul and mx.grouped_matmul.
    An operation's accessors are most of it.
  }];
  let methods = [
    InterfaceMethod<"[.., M, K].", "::mlir::Value", "getA">,
    InterfaceMethod<"Its scales.", "::mlir::Value", "getScalesA">,
    InterfaceMethod<"[.., N, K].", "::mlir::Value", "getB">,
    InterfaceMethod<"Its scales.", "::mlir::Value", "getScalesB">,
    InterfaceMethod<"Further inputs of the epilogue.", "::mlir::OperandRange", "getWith">,
    InterfaceMethod<"Results.", "::mlir::OperandRange", "getOuts">,
    InterfaceMethod<"What kind each of them is.", "::mlir::ArrayAttr", "getOutKinds">,
    InterfaceMethod<"By which rule results are quantized.", "::mxc::QuantizeRule", "getRule">,
    InterfaceMethod<"Whether clauses say that rule.", "bool", "hasRuleClauses", (ins), [{}], [{
      return $_op.getRoundingAttr() || $_op.getSpecialAttr() || $_op.getTinyAttr() || $_op.getCompatAttr();
    }]>,
    InterfaceMethod<"The preset among them, or null.", "::mlir::StringAttr", "getCompatAttr">,
    InterfaceMethod<"Whether `compat` says what another clause says again.", "bool", "saysRuleTwice", (ins), [{}], [{
      return $_op.getCompatAttr() && ($_op.getRoundingAttr() || $_op.getSpecialAttr() || $_op.getTinyAttr());
    }]>,
    InterfaceMethod<"The clause `block`, of a or of both operands, or null.", "::mlir::DenseI64ArrayAttr", "getBlockAttr">,
    InterfaceMethod<"What follows `by` in it, or null.", "::mlir::DenseI64ArrayAttr", "getBlockBAttr">,
    InterfaceMethod<"The tiles, or null.", "::mlir::ArrayAttr", "getTilesAttr">,
    InterfaceMethod<"The epilogue: a region of one block, or of none.", "::mlir::Region &", "getEpilogue">,
    InterfaceMethod<"Whether results are added to what c held.", "bool", "getAccumulate">,
    InterfaceMethod<"Whether products are added in the order of K.", "bool", "isSequential">,
    InterfaceMethod<"Whether a leading dimension of all operands is a batch.", "bool", "isBatched">,
    InterfaceMethod<"The format of a.", "::mxc::BlockFormat", "getFormatA">,
    InterfaceMethod<"The format of b.", "::mxc::BlockFormat", "getFormatB">,
    InterfaceMethod<"Whether no grid that may run when this one starts writes b.", "bool", "getConstantB", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<"What multiplies the sums, memref<1xf32>; null: nothing.", "::mlir::Value", "getAlpha", (ins), [{}], [{ return {}; }]>,
    InterfaceMethod<"Where groups end; null: there are none.", "::mlir::Value", "getEnds", (ins), [{}], [{ return {}; }]>,
    InterfaceMethod<"Which row of a each row of the groups is, i32 [M]; null: the same.", "::mlir::Value", "getGather", (ins), [{}], [{ return {}; }]>,
    InterfaceMethod<"Whether groups cut K, so that each has results of its own, and not a's rows, so that each has a b of its own.",
      "bool", "isRaggedK", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<"Groups begin at multiples of so many.", "int64_t", "getGroupAlignment", (ins), [{}], [{ return 1; }]>,
    InterfaceMethod<"How many products of one loop over K the epilogue takes: matrices b, which a dimension of b's counts where there are several.",
      "int64_t", "getPartCount", (ins), [{}], [{ return $_op.getParts().value_or(1); }]>,
  ];
  let extraSharedClassDeclaration = [{
    /// The blocks of b that the clause says, or null.
    ::mlir::DenseI64ArrayAttr blockOfB() { return $_op.getBlockBAttr() ? $_op.getBlockBAttr() : $_op.getBlockAttr(); }
    bool hasEpilogue() { return !$_op.getEpilogue().empty(); }
    bool hasGroups() { return $_op.getEnds() && !$_op.isRaggedK(); } // of rows
  }];
}

def Mx_TileAttrInterface : AttrInterface<"TileAttrInterface"> {
  let cppNamespace = "::mxc::mx";
  let description = [{
    How an operation is cut over CTAs, warps and lanes, and when. No choice of tiles changes a result bit, but for a product
    with `reduction = any` (docs/semantics/product.md).
  }];
  let methods = [
    InterfaceMethod<"Its condition on the dimensions, or null.", "::mlir::StringAttr", "getWhen", (ins), [{
        return $_attr.getMembers().when;
      }]>,
    InterfaceMethod<"The attribute as it is printed, with every member and its kind, as --tile takes it.", "std::string", "getText",
      (ins), [{}], [{ return ::mxc::mx::printedText($_attr); }]>,
    InterfaceMethod<"The tile under another condition; null: under none.", "::mxc::mx::TileAttrInterface", "withCondition",
      (ins "::mlir::StringAttr":$when), [{}], [{
        auto members = $_attr.getMembers();
        members.when = when;
        return ConcreteAttr::get($_attr.getContext(), members);
      }]>,
    InterfaceMethod<"Whether it takes every shape and alignment.", "bool", "takesEverything">,
    InterfaceMethod<"The general tile, which takes what this one refuses; null where its kind has none.",
      "::mxc::mx::TileAttrInterface", "getFallback">,
  ];
}

def Mx_TileScheduleAttrInterface : AttrInterface<"TileScheduleAttrInterface"> {
  let cppNamespace = "::mxc::mx";
  let description = [{
    In which order the tiles of a launch are worked on, and by whom. A schedule is an attribute of this interface and one
    function that walks its tiles (compiler/lowering/pipeline, PipelineLowerings::addSchedule).
  }];
  let methods = [
    InterfaceMethod<"Clusters that share a tile's steps along K.", "unsigned", "getSlices">,
  ];
}

#endif
