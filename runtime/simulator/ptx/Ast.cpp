#include "runtime/simulator/ptx/Ast.h"

#include <algorithm>

namespace mxc::sim::ptx {

namespace {

struct NamedType {
  std::string_view name;
  Type type;
};

using Kind = Type::Kind;
constexpr NamedType kTypes[] = {
    {"pred", {Kind::Predicate, 1}},     {"b8", {Kind::Bits, 8}},       {"b16", {Kind::Bits, 16}},
    {"b32", {Kind::Bits, 32}},          {"b64", {Kind::Bits, 64}},     {"b128", {Kind::Bits, 128}},
    {"u8", {Kind::Unsigned, 8}},        {"u16", {Kind::Unsigned, 16}}, {"u32", {Kind::Unsigned, 32}},
    {"u64", {Kind::Unsigned, 64}},      {"s8", {Kind::Signed, 8}},     {"s16", {Kind::Signed, 16}},
    {"s32", {Kind::Signed, 32}},        {"s64", {Kind::Signed, 64}},   {"f16", {Kind::Float, 16}},
    {"f16x2", {Kind::Float, 32, true}}, {"bf16", {Kind::BFloat, 16}},  {"bf16x2", {Kind::BFloat, 32, true}},
    {"f32", {Kind::Float, 32}},         {"f64", {Kind::Float, 64}},
};

} // namespace

std::optional<Type> typeNamed(std::string_view name) {
  for (const NamedType &entry : kTypes)
    if (entry.name == name) return entry.type;
  return std::nullopt;
}

bool Instruction::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

std::string Instruction::spelling() const {
  std::string text = opcode;
  for (const std::string &modifier : modifiers)
    text.append(".").append(modifier);
  return text;
}

} // namespace mxc::sim::ptx
