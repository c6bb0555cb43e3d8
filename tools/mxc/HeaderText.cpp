#include "tools/mxc/HeaderText.h"

#include "compiler/abi/Version.h"
#include "runtime/jit/ContentHash.h"

#include <algorithm>
#include <set>

namespace mxc {

namespace {

/// Words of C++ that a name may not be, and macros of its headers and compilers.
const std::set<std::string, std::less<>> kWords = {
    "alignas",     "alignof",  "and",        "and_eq",    "asm",       "auto",         "bitand",
    "bitor",       "bool",     "break",      "case",      "catch",     "char",         "char16_t",
    "char32_t",    "char8_t",  "class",      "co_await",  "co_return", "co_yield",     "compl",
    "concept",     "const",    "const_cast", "consteval", "constexpr", "constinit",    "continue",
    "decltype",    "default",  "delete",     "do",        "double",    "dynamic_cast", "else",
    "enum",        "explicit", "export",     "extern",    "false",     "float",        "for",
    "friend",      "goto",     "if",         "inline",    "int",       "long",         "mutable",
    "namespace",   "new",      "noexcept",   "not",       "not_eq",    "nullptr",      "operator",
    "or",          "or_eq",    "private",    "protected", "public",    "register",     "reinterpret_cast",
    "requires",    "return",   "short",      "signed",    "sizeof",    "static",       "static_assert",
    "static_cast", "struct",   "switch",     "template",  "this",      "thread_local", "throw",
    "true",        "try",      "typedef",    "typeid",    "typename",  "union",        "unsigned",
    "using",       "virtual",  "void",       "volatile",  "wchar_t",   "while",        "xor",
    "xor_eq",      "NULL",     "EOF",        "BUFSIZ",    "assert",    "errno",        "stdin",
    "stdout",      "stderr",   "linux",      "unix",      "signbit",   "isnan",        "isinf",
    "isfinite",    "setjmp",   "va_arg",     "offsetof",  "INFINITY",  "NAN"};

/// Identifiers of one scope: each different from the words and from each other.
class Scope {
public:
  explicit Scope(std::set<std::string> taken) : taken_(std::move(taken)) {}

  std::string identifier(std::string_view name) {
    std::string result;
    for (char c : name) {
      const bool isWordly = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (isWordly || (!result.empty() && result.back() != '_')) result += isWordly ? c : '_';
    }
    if (result.empty() || (result.front() >= '0' && result.front() <= '9')) result.insert(0, "k");
    while (kWords.count(result) || !taken_.insert(result).second)
      result += result.back() == '_' ? "x" : "_";
    return result;
  }

private:
  std::set<std::string> taken_;
};

/// A kernel's class.
class KernelClass {
public:
  KernelClass(const KernelAbi &abi, std::string name, const std::string &targets)
      : abi_(abi), name_(std::move(name)), targets_(targets) {
    Scope scope({"options", "list", "kernel_", name_, "launch", "prepare", "mxc", "std"});
    for (const AbiArgument &argument : abi.arguments)
      names_.push_back(argument.kind == ArgumentKind::Workspace ? "" : scope.identifier(argument.name));
  }

  std::string text() const {
    return documentation() + "class " + name_ + " {\npublic:\n  /// Loads it; throws mxc::host::Error.\n" +
           "  explicit " + name_ + "(const mxc::host::Engine &engine);\n\n" + shapes() +
           "  /// Checks the arguments and enqueues one launch; throws mxc::host::Error.\n  void launch(" +
           parameters() + ") const {\n    const " + arguments() +
           "\n    kernel_.launch(list, std::size(list), options);\n  }\n\n" +
           "  /// The same for repeated launches on the same tensors: Launch::enqueue.\n" +
           "  mxc::host::Launch prepare(" + parameters() + ") const {\n    const " + arguments() +
           "\n    return kernel_.prepare(list, std::size(list), options);\n  }\n\n" +
           "private:\n  mxc::host::Kernel kernel_;\n};\n";
  }

  std::string constructor(const std::string &image) const {
    return "inline " + name_ + "::" + name_ +
           "(const mxc::host::Engine &engine)\n    : kernel_(engine.load(" + image + ", sizeof " + image +
           ", {\"" + abi_.name + "\", \"\", \"" + abi_.name + "\"})) {}\n";
  }

private:
  std::string documentation() const {
    std::string text = "/// mx." + abi_.operation.name + ", for " + targets_;
    for (const auto &[name, value] : abi_.operation.attributes)
      if (!isArgument(value)) text += ", " + name + " = " + value;
    text += "\n";
    for (size_t i = 0; i < names_.size(); ++i) {
      const AbiArgument &argument = abi_.arguments[i];
      if (names_[i].empty()) continue;
      text += "///   " + names_[i] + ": " + argument.type;
      if (argument.isTensor()) text += " [" + shapeText(argument.shape) + "]";
      if (isTiles(argument)) text += " in tiles of tcgen05, as bytes in one dimension";
      if (hasPadding(argument))
        text += " in the layout " + std::string(name(*scaleLayoutOf(argument.layout))) + ", " +
                storageText(*scaleLayoutOf(argument.layout), shapeText(argument.shape));
      text += argument.kind == ArgumentKind::Scalar ? ", by value"
              : !argument.isOutput                  ? ", read"
              : argument.isRead                     ? ", read and written"
                                                    : ", written";
      if (!argument.of.empty() && argument.role == ArgumentRole::Scales) text += ", scales of " + argument.of;
      if (argument.alignment > 1) text += ", aligned to " + std::to_string(argument.alignment) + " bytes";
      text += "\n";
    }
    return text;
  }

  bool isArgument(const std::string &name) const {
    return std::ranges::any_of(abi_.arguments, [&](const AbiArgument &a) { return a.name == name; });
  }
  static bool hasStorage(const AbiArgument &argument, ScaleStorage storage) {
    const std::optional<ScaleLayout> scales = scaleLayoutOf(argument.layout);
    return scales && info(*scales).storage == storage;
  }
  static bool isTiles(const AbiArgument &argument) { return hasStorage(argument, ScaleStorage::Tiles); }
  static bool hasPadding(const AbiArgument &argument) { // a shape of its own, in as many dimensions
    return hasStorage(argument, ScaleStorage::Lines) || hasStorage(argument, ScaleStorage::Rows);
  }

  /// The dimensions as parameters, without the names of those that `sizes` does not use.
  std::string dimensionsOf(const AbiArgument &argument) const {
    std::string text;
    for (const std::string &name : abi_.dimensions) {
      bool isUsed = false;
      for (const ShapeExpression &size : argument.shape)
        isUsed |= std::ranges::count(size.names(), name) != 0;
      text += (text.empty() ? "" : ", ") + ("std::int64_t " + (isUsed ? name : "/*" + name + "*/"));
    }
    return text;
  }

  std::string shapes() const {
    std::string text;
    for (size_t i = 0; i < names_.size(); ++i) {
      const AbiArgument &argument = abi_.arguments[i];
      if (!argument.isTensor()) continue;
      text += "  static constexpr std::array<std::int64_t, " + std::to_string(argument.storageRank()) +
              "> shape_of_" + names_[i] + "(" + dimensionsOf(argument) +
              ") {\n    using namespace mxc::host;\n    return {" + sizes(argument) + "};\n  }\n";
    }
    return text + "\n";
  }

  /// [.., rows, blocks] as storageShape has them.
  static std::string paddedSizes(const AbiArgument &argument) {
    const ScaleLayoutInfo &layout = info(*scaleLayoutOf(argument.layout));
    std::string text;
    const size_t rank = argument.rank();
    for (size_t i = 0; i + 2 < rank; ++i)
      text += argument.shape[i].text() + ", ";
    auto tiles = [](const ShapeExpression &extent, int tile) {
      return tile == 1 ? extent.text() : "ceildiv(" + extent.text() + ", " + std::to_string(tile) + ")";
    };
    const ShapeExpression &rows = argument.shape[rank - 2], &blocks = argument.shape[rank - 1];
    if (layout.storage == ScaleStorage::Rows)
      return text + rows.text() + ", " + tiles(blocks, layout.tileBlocks) + " * " +
             std::to_string(layout.tileBlocks);
    return text + tiles(blocks, layout.tileBlocks) + ", " + tiles(rows, layout.tileRows) + " * " +
           std::to_string(layout.tileRows * layout.tileBlocks);
  }

  static std::string sizes(const AbiArgument &argument) {
    if (hasPadding(argument)) return paddedSizes(argument);
    std::string text;
    const size_t rank = argument.rank();
    for (size_t i = 0; i < rank; ++i) {
      const bool isTile = isTiles(argument) && i + 2 >= rank;
      if (isTile && i + 1 == rank) break;
      if (!text.empty()) text += isTiles(argument) ? " * " : ", ";
      const std::string &size = argument.shape[i].text();
      text += isTile              ? "tcgen05Bytes(" + size + ", " + argument.shape[i + 1].text() + ")"
              : isTiles(argument) ? "(" + size + ")"
                                  : size;
    }
    return text;
  }

  std::string parameters() const {
    std::string text;
    for (size_t i = 0; i < names_.size(); ++i) {
      const AbiArgument &argument = abi_.arguments[i];
      if (names_[i].empty()) continue;
      if (argument.isTensor())
        text += std::string("const mxc::host::Tensor<") + (argument.isOutput ? "" : "const ") +
                "mxc::host::" + argument.type + ", " + std::to_string(argument.storageRank()) + "> &";
      else
        text += argument.type == "f32" ? "float " : "std::" + integerType(argument.type) + " ";
      text += names_[i] + ",\n              ";
    }
    return text + "const mxc::host::LaunchOptions &options = {}";
  }

  static std::string integerType(const std::string &type) { return type == "i32" ? "int32_t" : "int64_t"; }

  std::string arguments() const {
    std::string text;
    for (size_t i = 0; i < names_.size(); ++i) {
      const AbiArgument &argument = abi_.arguments[i];
      if (names_[i].empty()) continue;
      const std::string value = argument.isTensor()      ? names_[i]
                                : argument.type == "f32" ? "double(" + names_[i] + ")"
                                                         : "std::int64_t(" + names_[i] + ")";
      text += (text.empty() ? "" : ",\n        ") +
              std::string("mxc::host::argument(\"" + argument.name + "\", " + value + ")");
    }
    return "mxc_argument list[] = {\n        " + text + "};";
  }

  const KernelAbi &abi_;
  const std::string name_, &targets_;
  std::vector<std::string> names_; // of the arguments in C++; "": a workspace, which the runtime provides
};

} // namespace

static std::string numbers(std::string_view bytes) {
  constexpr size_t kLine = 110;
  std::string text;
  text.reserve(bytes.size() * 4);
  size_t begin = 0;
  for (unsigned char byte : bytes) {
    text += std::to_string(byte) + ',';
    if (text.size() - begin > kLine) text += '\n', begin = text.size();
  }
  return text;
}

/// Headers of one name that differ, in one program, must not define one class in two ways: the linker keeps
/// either.
static std::string namespaceOf(const std::string &body) {
  return "image_" + hexadecimal(contentHash({body})).substr(0, 16);
}

std::string headerText(const std::string &base, const std::string &source, std::string_view image,
                       const std::vector<ModuleAbi> &records) {
  std::string targets;
  for (const ModuleAbi &record : records)
    if (targets.find(record.target) == targets.npos) targets += (targets.empty() ? "" : ", ") + record.target;
  Scope scope({"launch", "prepare", "mxc", "std"});
  const std::string imageName = scope.identifier(base + "_image");
  std::vector<KernelClass> kernels;
  for (const KernelAbi &kernel : records.front().kernels)
    kernels.emplace_back(kernel, scope.identifier(kernel.name), targets);

  std::string body;
  for (const KernelClass &kernel : kernels)
    body += "\n" + kernel.text();
  body += "\nalignas(64) inline constexpr unsigned char " + imageName + "[] = {\n" + numbers(image) + "};\n";
  for (const KernelClass &kernel : kernels)
    body += "\n" + kernel.constructor(imageName);

  return "// " + source + " for " + targets + ", compiled by mxc " + kVersion +
         ": written by `mxc compile --emit=header`.\n// Link libmxc_runtime or libmxc.\n"
         "#pragma once\n\n#include <mxc/mxc.hpp>\n\n"
         "// Named by what is in it: another kernel of the same name is another one to the linker, too.\n"
         "namespace mxc_kernels {\ninline namespace " +
         namespaceOf(body) + " {\n" + body + "\n} // inline namespace\n} // namespace mxc_kernels\n";
}

} // namespace mxc
