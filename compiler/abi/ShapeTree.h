// A shape expression as nodes: what its parser makes and its evaluation walks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mxc {

/// In the order of kShapeOperators.
enum class ShapeOp : uint8_t {
  Or,
  And,
  Equal,
  NotEqual,
  LessEqual,
  GreaterEqual,
  Less,
  Greater, // 0 or 1
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  Negate,
  CeilDivide,
  Minimum,
  Maximum,
  Integer,
  Name
};

/// How tightly an operator binds: its level of the grammar, loosest first.
struct ShapeOperator {
  std::string_view text;
  int level;
};
inline constexpr int kUnaryLevel = 7, kPrimaryLevel = 8;
inline constexpr std::array<ShapeOperator, 19> kShapeOperators = {{{"||", 1},
                                                                   {"&&", 2},
                                                                   {"==", 3},
                                                                   {"!=", 3},
                                                                   {"<=", 4},
                                                                   {">=", 4},
                                                                   {"<", 4},
                                                                   {">", 4},
                                                                   {"+", 5},
                                                                   {"-", 5},
                                                                   {"*", 6},
                                                                   {"/", 6},
                                                                   {"%", 6},
                                                                   {"-", kUnaryLevel},
                                                                   {"ceildiv", kPrimaryLevel},
                                                                   {"min", kPrimaryLevel},
                                                                   {"max", kPrimaryLevel},
                                                                   {"", kPrimaryLevel},
                                                                   {"", kPrimaryLevel}}};

inline constexpr size_t kMaxShapeNames = 64; // different ones in an expression

struct ShapeNode {
  ShapeOp op = ShapeOp::Integer;
  uint32_t at = 0;              // where its operator, or it, stands in the text
  uint32_t left = 0, right = 0; // nodes; of Negate: left
  int64_t value = 0;            // of Integer; of Name: which of the tree's names

  bool isCondition() const { return op <= ShapeOp::Greater; }
  bool isLeaf() const { return op >= ShapeOp::Integer; }
};

/// Operands stand before their operators; the last node is the whole.
struct ShapeTree {
  std::string text;
  std::vector<ShapeNode> nodes;
  std::vector<std::string> names;
};

/// What stopped an evaluation, and where.
struct ShapeFailure {
  const char *what = nullptr;
  uint32_t at = 0;
};

/// Throws mxc::Error (InvalidInput) on a syntax error.
ShapeTree parseShape(std::string_view text);

/// "shape expression "M + / 2": `what` at column 5", with the text and a mark below.
std::string shapeError(std::string_view text, const std::string &what, size_t at);

/// `names` are the values of tree.names. Nullopt, with `failure` set: no value.
std::optional<int64_t> evaluateTree(const ShapeTree &tree, std::span<const int64_t> names,
                                    ShapeFailure &failure);
/// One operator on its operands' values; && and || take both. `b` is not looked at for Negate.
std::optional<int64_t> applyShape(ShapeOp op, int64_t a, int64_t b, const char *&failure);

/// The tree below node `root` of `nodes` on its own: printed, with no node that it does not need.
ShapeTree printShape(std::span<const ShapeNode> nodes, uint32_t root, std::span<const std::string> names);

} // namespace mxc
