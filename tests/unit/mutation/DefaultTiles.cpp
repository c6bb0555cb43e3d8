#include "tests/unit/mutation/DefaultTiles.h"

#include "compiler/Compiler.h"
#include "dialect/formats/Error.h"
#include "tests/unit/simulator/OrderingLines.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

using namespace mxc;

namespace {

/// An example whose elements are others.
struct MadeForm {
  const char *name, *example, *elements, *instead;
};
const MadeForm kMadeForms[] = {
    {"matmul_mxfp6", "matmul", "f8E4M3FN", "f6E2M3FN"},
    {"matmul_mxfp4_mxfp8", "matmul_mxfp8_mxfp4", "f8E4M3FN|f4E2M1FN", "f4E2M1FN|f8E4M3FN"},
    {"matmul_mxfp8_mxfp6", "matmul_mxfp8_mxfp4", "f4E2M1FN", "f6E2M3FN"},
    {"matmul_mxfp6_mxfp4", "matmul_mxfp8_mxfp4", "f8E4M3FN", "f6E2M3FN"},
    {"quantize_column_mxfp4", "quantize_column", "f8E4M3FN", "f4E2M1FN"},
    {"quantize_column_mxfp6", "quantize_column", "f8E4M3FN", "f6E2M3FN"},
    {"quantize_both_mxfp4", "quantize_both", "f8E4M3FN", "f4E2M1FN"},
    {"quantize_both_mxfp6", "quantize_both", "f8E4M3FN", "f6E2M3FN"},
};

/// The checkout; MXC_SOURCE names another place of it, where the program was built elsewhere.
std::string checkout() {
  const char *given = std::getenv("MXC_SOURCE");
  return given ? given : MXC_SOURCE_DIR;
}

std::string examples() { return checkout() + "/docs/examples/"; }

std::string textOf(const std::string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> wordsOf(const std::string &list) {
  std::vector<std::string> words;
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, '|');)
    words.push_back(word);
  return words;
}

std::string sourceOf(const std::string &form) {
  if (form == "blockwise_weights") return textOf(checkout() + "/tools/dev/blockwise-weights.mlir");
  auto made = std::ranges::find(kMadeForms, form, &MadeForm::name);
  if (made == std::end(kMadeForms)) return textOf(examples() + form + ".mlir");
  std::string source = textOf(examples() + made->example + ".mlir"), changed;
  const std::vector<std::string> elements = wordsOf(made->elements), instead = wordsOf(made->instead);
  while (!source.empty()) {
    auto here =
        std::ranges::find_if(elements, [&](const std::string &word) { return source.starts_with(word); });
    const bool isElement = here != elements.end();
    changed += isElement ? instead[size_t(here - elements.begin())] : source.substr(0, 1);
    source.erase(0, isElement ? here->size() : 1);
  }
  return changed;
}

/// "#mx.column_tile<load = bulk, when = "M * K > 7">": "column_tile<load = bulk>".
std::string withoutCondition(const std::string &tile) {
  constexpr std::string_view kDialect = "#mx.";
  if (!tile.starts_with(kDialect)) return tile;
  const size_t end = std::min(tile.find(", when"), tile.size() - 1);
  return tile.substr(kDialect.size(), end - kDialect.size()) + ">";
}

CompileOptions optionsFor(const std::string &target) {
  CompileOptions options;
  options.targets = {target}, options.stage = Stage::Ptx;
  return options;
}

/// None: the chip has no such kernel.
std::optional<ModuleAbi> abiOf(const std::string &form, const std::string &target) {
  const std::string source = sourceOf(form);
  try {
    return compileAbi(source, form, optionsFor(target)).abis[0];
  } catch (const Error &) {
    return std::nullopt;
  }
}

} // namespace

std::vector<std::string> formsOfKernels() {
  std::vector<std::string> forms = {"blockwise_weights"};
  for (const MadeForm &form : kMadeForms)
    forms.push_back(form.name);
  for (const auto &file : std::filesystem::directory_iterator(examples()))
    if (file.path().extension() == ".mlir") forms.push_back(file.path().stem());
  std::ranges::sort(forms);
  return forms;
}

std::vector<DefaultTile> defaultTilesOf(const std::string &form, const std::string &target) {
  const std::optional<ModuleAbi> module = abiOf(form, target);
  std::vector<DefaultTile> tiles;
  std::set<std::string> entries;
  if (!module) return tiles;
  for (const KernelAbi &kernel : module->kernels)
    for (size_t variant = 0; variant < kernel.variants.size(); ++variant) {
      const AbiVariant &given = kernel.variants[variant];
      if (!given.following.empty()) throw Error(ErrorKind::Usage, form + " has tiles of several launches");
      if (entries.insert(given.entry).second)
        tiles.push_back({target, form, withoutCondition(given.tile), kernel.name, given.entry, variant});
    }
  return tiles;
}

std::vector<std::pair<DefaultTile, std::string>> defaultCodeOf(const std::string &form,
                                                               const std::string &target) {
  std::vector<std::pair<DefaultTile, std::string>> code;
  const std::vector<DefaultTile> tiles = defaultTilesOf(form, target);
  if (tiles.empty()) return code;
  std::map<std::string, std::string> entries;
  std::string *entry = nullptr;
  for (const std::string &line : linesOf(compile(sourceOf(form), form, optionsFor(target)).output)) {
    constexpr std::string_view kWord = ".entry ";
    if (const size_t at = line.find(kWord); at != line.npos)
      entry = &entries[line.substr(at + kWord.size(), line.find('(') - at - kWord.size())];
    if (entry) *entry += line + "\n";
  }
  for (const DefaultTile &tile : tiles)
    code.push_back({tile, entries.at(tile.entry)});
  return code;
}

DefaultTile defaultTileNamed(const std::string &name) {
  const size_t first = name.find(' '), second = name.find(' ', first + 1);
  for (const DefaultTile &tile :
       defaultTilesOf(name.substr(first + 1, second - first - 1), name.substr(0, first)))
    if (tile.name() == name) return tile;
  throw Error(ErrorKind::Usage, "no default tile is called " + name);
}

TileCode codeOf(const DefaultTile &tile) {
  CompileOptions options = optionsFor(tile.target);
  const std::string source = sourceOf(tile.form);
  options.entry = tile.entry;
  TileCode code{compileAbi(source, tile.form, optionsFor(tile.target)).abis[0], ""};
  auto kernel = std::ranges::find(code.abi.kernels, tile.kernel, &KernelAbi::name);
  kernel->variants[tile.variant].when = {}; // small shapes are other tiles'
  code.ptx = compile(source, tile.form, options).output;
  return code;
}
