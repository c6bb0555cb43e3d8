#include "tools/mxc/ShapeText.h"

#include "dialect/formats/Error.h"

#include <algorithm>
#include <charconv>

namespace mxc {

namespace {

struct Size {
  std::string name; // "" of those by place
  int64_t size = 0;
};

/// The sizes of either form, or the end: nothing is said of names yet.
std::vector<Size> sizesOf(const std::string &text) {
  std::string bare;
  std::ranges::copy_if(text, std::back_inserter(bare), [](char c) { return c != ' '; });
  const bool isNamed = bare.find('=') != bare.npos;
  std::vector<Size> sizes;
  for (size_t begin = 0, end; begin <= bare.size(); begin = end + 1) {
    end = std::min(bare.find(isNamed ? ',' : 'x', begin), bare.size());
    const size_t equals = isNamed ? bare.find('=', begin) : begin;
    if (isNamed && (equals >= end || equals == begin)) return {};
    Size part{bare.substr(begin, equals - begin)};
    const char *first = bare.data() + equals + isNamed, *last = bare.data() + end;
    const auto [stop, error] = std::from_chars(first, last, part.size);
    if (error != std::errc() || stop != last || part.size < 0) return {};
    sizes.push_back(std::move(part));
  }
  return sizes;
}

/// "M=SIZE,K=SIZE or SIZExSIZE".
std::string formsOf(const std::vector<std::string> &names) {
  std::string named, bare;
  for (const std::string &name : names) {
    named += (named.empty() ? "" : ",") + name + "=SIZE";
    bare += bare.empty() ? "SIZE" : "xSIZE";
  }
  return named + " or " + bare;
}

[[noreturn]] void refuse(const std::string &expected, const std::string &found) {
  throw Error(ErrorKind::Usage, "--shape: " + expected + ", found '" + found + "'");
}

} // namespace

void checkShapeForm(const std::string &text) {
  if (sizesOf(text).empty()) refuse("expected M=8192,K=7168 or 8192x7168, sizes from 0", text);
}

Dimensions parsePartOfShape(const std::vector<std::string> &texts, const std::vector<std::string> &names,
                            const std::string &whose) {
  Dimensions result;
  for (const std::string &text : texts) {
    if (names.empty()) refuse(whose + " has no dynamic dimensions: leave it out", text);
    std::vector<Size> sizes = sizesOf(text);
    const bool isByPlace = !sizes.empty() && sizes.front().name.empty();
    if (sizes.empty() || (isByPlace && sizes.size() != names.size()))
      refuse(whose + " takes " + formsOf(names), text);
    for (size_t i = 0; i < sizes.size(); ++i) {
      const std::string &name = isByPlace ? names[i] : sizes[i].name;
      if (std::ranges::find(names, name) == names.end()) refuse(whose + " takes " + formsOf(names), text);
      if (!result.emplace(name, sizes[i].size).second)
        throw Error(ErrorKind::Usage, "--shape: " + name + " is given twice");
    }
  }
  return result;
}

Dimensions parseShape(const std::string &text, const std::vector<std::string> &names,
                      const std::string &whose) {
  Dimensions result = parsePartOfShape({text}, names, whose);
  if (result.size() != names.size()) refuse(whose + " takes " + formsOf(names), text);
  return result;
}

std::vector<Dimensions> shapesOf(const KernelAbi &kernel, const std::vector<std::string> &texts) {
  const std::string whose = "kernel '" + kernel.name + "'";
  if (kernel.dimensions.empty() && texts.empty()) return {{}};
  if (texts.empty())
    throw Error(ErrorKind::Usage,
                whose + " takes any size: give some, as --shape " + formsOf(kernel.dimensions));
  std::vector<Dimensions> shapes;
  for (const std::string &text : texts)
    shapes.push_back(parseShape(text, kernel.dimensions, whose));
  return shapes;
}

MatrixShape parseMatrixShape(const std::string &text, const std::string &rows, const std::string &columns) {
  const Dimensions sizes = parseShape(text, {rows, columns}, "the matrix");
  return {sizes.at(rows), sizes.at(columns)};
}

} // namespace mxc
