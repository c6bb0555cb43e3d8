#include "compiler/codegen/EntryModules.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;

namespace mxc {

static bool standsAlone(Operation &op) {
  if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op))
    return !function.isExternal() && function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()) &&
           function.getLinkage() == LLVM::Linkage::External;
  auto global = dyn_cast<LLVM::GlobalOp>(op);
  return global && global.getLinkage() == LLVM::Linkage::External && !global.getInitializerBlock();
}

static llvm::StringSet<> globalsNamed(LLVM::LLVMFuncOp function) {
  llvm::StringSet<> names;
  function.walk([&](LLVM::AddressOfOp op) { names.insert(op.getGlobalName()); });
  return names;
}

EntryModules takeEntries(ModuleOp module) {
  EntryModules parts;
  auto addPart = [&]() -> ModuleOp {
    parts.push_back(ModuleOp::create(module.getLoc()));
    parts.back()->getOperation()->setAttrs(module->getAttrDictionary());
    return *parts.back();
  };
  auto functions = llvm::to_vector(module.getOps<LLVM::LLVMFuncOp>());
  if (functions.size() < 2 || !llvm::all_of(*module.getBody(), standsAlone)) {
    addPart().getBodyRegion().takeBody(module.getBodyRegion());
    module.getBodyRegion().emplaceBlock();
    return parts;
  }
  for (LLVM::LLVMFuncOp function : functions) {
    ModuleOp part = addPart();
    const llvm::StringSet<> named = globalsNamed(function);
    for (auto global : module.getOps<LLVM::GlobalOp>())
      if (named.contains(global.getSymName())) part.push_back(global->clone());
    function->remove();
    part.push_back(function);
  }
  return parts;
}

bool canBeApart(const EntryModules &entries) {
  return llvm::all_of(entries, [](const OwningOpRef<ModuleOp> &entry) {
    return llvm::all_of(*ModuleOp(*entry).getBody(), standsAlone);
  });
}

void shareGlobals(EntryModules &entries) {
  llvm::StringMap<uint64_t> alignments;
  for (const OwningOpRef<ModuleOp> &entry : entries)
    for (auto global : ModuleOp(*entry).getOps<LLVM::GlobalOp>()) {
      uint64_t &alignment = alignments[global.getSymName()];
      alignment = std::max(alignment, global.getAlignment().value_or(0));
    }
  for (const OwningOpRef<ModuleOp> &entry : entries)
    for (auto global : ModuleOp(*entry).getOps<LLVM::GlobalOp>())
      if (uint64_t alignment = alignments[global.getSymName()]) global.setAlignment(alignment);
}

OwningOpRef<ModuleOp> joinedModule(EntryModules entries) {
  shareGlobals(entries);
  OwningOpRef<ModuleOp> all = std::move(entries.front());
  for (const OwningOpRef<ModuleOp> &entry : llvm::drop_begin(entries))
    for (Operation &op : llvm::make_early_inc_range(*ModuleOp(*entry).getBody()))
      if (!ModuleOp(*all).lookupSymbol(cast<SymbolOpInterface>(op).getName())) {
        op.remove();
        ModuleOp(*all).push_back(&op);
      }
  return all;
}

/// Labels and stack frames carry the number of their function in its module, which was 0.
static std::string numbered(llvm::StringRef text, size_t function) {
  std::string result;
  while (true) {
    size_t place = llvm::StringRef::npos;
    llvm::StringRef found;
    for (llvm::StringRef name : {"$L__BB0", "__local_depot0"})
      if (size_t at = text.find(name); at < place) place = at, found = name;
    if (found.empty()) return result + text.str();
    const bool begins = place == 0 || !(llvm::isAlnum(text[place - 1]) || text[place - 1] == '_' ||
                                        text[place - 1] == '$'); // not within a kernel's name
    result += text.take_front(place + found.size() - 1);
    result += begins ? std::to_string(function) : "0";
    text = text.drop_front(place + found.size());
  }
}

std::string joinedPtx(std::vector<std::string> texts) {
  std::string result = std::move(texts.front());
  for (size_t i = 1; i < texts.size(); ++i) {
    // The header and the globals stand in the first.
    constexpr llvm::StringRef kVisible = "\t// .globl\t", kEntry = "\n.visible .entry ";
    const llvm::StringRef text = texts[i];
    const size_t visible = text.find(kVisible), entry = text.find(kEntry, visible);
    if (entry == llvm::StringRef::npos) llvm::report_fatal_error("an entry's PTX has no '.visible .entry'");
    const llvm::StringRef name = text.substr(visible, text.find('\n', visible) - visible);
    result += name;
    // LLVM drops a declaration that an entry does not need: the first one's text may lack another's.
    llvm::SmallVector<llvm::StringRef> lines;
    text.slice(visible, entry).drop_front(name.size()).split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef declaration : lines)
      if (!llvm::StringRef(result).contains(declaration)) (result += '\n') += declaration;
    result += numbered(text.substr(entry), i);
  }
  return result;
}

} // namespace mxc
