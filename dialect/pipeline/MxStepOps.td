#ifndef MXC_DIALECT_PIPELINE_MXSTEPOPS_TD
#define MXC_DIALECT_PIPELINE_MXSTEPOPS_TD

include "dialect/pipeline/MxPipeline.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"

// Roles, and the steps that hand the stages of a ring over.

def Mx_RoleOp : Mx_StepOp<"role"> {
  let summary = "what some warps of every CTA do";
  let description = [{
    `first` .. `first + warps - 1` execute the body, all lanes with uniform values but where an operation says otherwise.
    `leader`: of a pair, or of two CTAs that share, only the even one does. `early`: they do not wait for earlier grids
    before, but after it; where there is such a role, all others wait at their beginning, and not the CTA as a whole.
    No role of a pipeline within a kernel does.
  }];
  let arguments = (ins StrAttr:$name, I32Attr:$first, I32Attr:$warps, UnitAttr:$leader, UnitAttr:$early);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name `first` `=` $first `warps` `=` $warps (`leader` $leader^)? (`early` $early^)? attr-dict-with-keyword $body";
}

def Mx_RoleThreadOp : Mx_PartOp<"role_thread", []> {
  let summary = "this thread's number among those of its role";
  let results = (outs I32:$thread);
  let assemblyFormat = "attr-dict";
}

def Mx_RoleBarrierOp : Mx_PartOp<"role_barrier", [ParentOneOf<["RoleOp"]>]> {
  let summary = "the role's warps meet; what they wrote to shared memory is visible among them";
  let assemblyFormat = "attr-dict";
}

def Mx_FillOp : Mx_StepOp<"fill"> {
  let summary = "fill the ring's next stage: wait until it is empty, execute the body, publish";
  let description = [{
    The body gets the stage's number. Bytes of the copies inside are announced: their sum, computed. Within a kernel's shared
    memory a fill by `copy_box` of a ring that is filled once may stand outside of roles, before all of them: the thread that
    makes the barriers executes it, and other threads come to know of the barriers while the copies are under way.
  }];
  let arguments = (ins Mx_RingType:$ring);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$ring attr-dict-with-keyword $body";
}

def Mx_UseOp : Mx_StepOp<"use"> {
  let summary = "use the ring's next stage: wait until it is full, execute the body, give it back";
  let description = [{
    The body gets the stage's number. It may give the stage back early with `mx.release`. With `mx.warpgroup_mma` inside,
    which reads the stage later, a stage is given back once the next one is being multiplied; `mx.finish` ends with the last.
    Within a kernel's shared memory a use of a ring that is filled once may stand outside of roles: all threads execute it.
    A use by the tensor core may stand within another one of its ring, which gives its own stage back inside, by an mx.release that
    names it: the inner one is of the stage after that.
  }];
  let arguments = (ins Mx_RingType:$ring);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$ring (`->` type($results)^)? attr-dict-with-keyword $body";
}

def Mx_ReleaseOp : Mx_PartOp<"release", []> {
  let summary = "give the stage of this ring back, before the end of the use around it";
  let description = [{
    `ahead`: it is asked there, too, whether the next stage is full, so that the answer is there when the role's next use begins. The
    role has one use of the ring. `stage`: which one, where uses of the ring stand within each other; without it the innermost one's.
  }];
  let arguments = (ins Mx_RingType:$ring, Optional<I32>:$stage, UnitAttr:$ahead);
  let assemblyFormat = "$ring (`[` $stage^ `]`)? (`ahead` $ahead^)? attr-dict";
  let builders = [OpBuilder<(ins "::mlir::Value":$ring, CArg<"bool", "false">:$ahead),
      [{ build($_builder, $_state, ring, ::mlir::Value(), ahead); }]>];
  let extraClassDeclaration = [{
    /// The mx.use around it whose stage it gives back; null: the stage is none of theirs.
    UseOp getUse();
  }];
}

def Mx_StageAddressOp : Mx_PartOp<"stage_address", []> {
  let summary = "where a part of a stage lies in shared memory: for threads that fill or use it themselves";
  let arguments = (ins Mx_RingType:$ring, I32:$stage, I32Attr:$part);
  let results = (outs LLVM_AnyPointer:$address);
  let assemblyFormat = "$ring `[` $stage `]` `part` `=` $part attr-dict `:` type($address)";
}

#endif
