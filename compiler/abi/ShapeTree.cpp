// Evaluation and printing of shape expressions. The parser bounds the depth of trees, so recursion is safe.
#include "compiler/abi/ShapeTree.h"

#include <algorithm>

namespace mxc {

std::optional<int64_t> applyShape(ShapeOp op, int64_t a, int64_t b, const char *&failure) {
  int64_t result = 0;
  bool overflows = false;
  const auto floorDivided = [&] { return a / b - (a % b != 0 && (a < 0) != (b < 0)); };
  switch (op) {
  case ShapeOp::Or:
    return a != 0 || b != 0;
  case ShapeOp::And:
    return a != 0 && b != 0;
  case ShapeOp::Equal:
    return a == b;
  case ShapeOp::NotEqual:
    return a != b;
  case ShapeOp::LessEqual:
    return a <= b;
  case ShapeOp::GreaterEqual:
    return a >= b;
  case ShapeOp::Less:
    return a < b;
  case ShapeOp::Greater:
    return a > b;
  case ShapeOp::Add:
    overflows = __builtin_add_overflow(a, b, &result);
    break;
  case ShapeOp::Subtract:
    overflows = __builtin_sub_overflow(a, b, &result);
    break;
  case ShapeOp::Multiply:
    overflows = __builtin_mul_overflow(a, b, &result);
    break;
  case ShapeOp::Negate:
    overflows = __builtin_sub_overflow(int64_t(0), a, &result);
    break;
  case ShapeOp::Minimum:
    return std::min(a, b);
  case ShapeOp::Maximum:
    return std::max(a, b);
  case ShapeOp::Divide:
  case ShapeOp::Remainder:
  case ShapeOp::CeilDivide:
    if (b == 0) {
      failure = "division by zero";
      return std::nullopt;
    }
    if (op == ShapeOp::Remainder) { // INT64_MIN % -1 traps
      result = b == -1 ? 0 : a % b;
      if (result != 0 && (result < 0) != (b < 0)) result += b;
    } else if (b == -1) { // INT64_MIN / -1 does too
      overflows = __builtin_sub_overflow(int64_t(0), a, &result);
    } else {
      result = floorDivided() + (op == ShapeOp::CeilDivide && a % b != 0);
    }
    break;
  case ShapeOp::Integer:
  case ShapeOp::Name:
    return a;
  }
  if (!overflows) return result;
  failure = "the value does not fit in 64 bits";
  return std::nullopt;
}

namespace {

class Evaluation {
public:
  Evaluation(const ShapeTree &tree, std::span<const int64_t> names, ShapeFailure &failure)
      : tree_(tree), names_(names), failure_(failure) {}

  std::optional<int64_t> value(uint32_t index) {
    const ShapeNode &node = tree_.nodes[index];
    if (node.op == ShapeOp::Integer) return node.value;
    if (node.op == ShapeOp::Name) return names_[size_t(node.value)];
    const std::optional<int64_t> a = value(node.left);
    if (!a || node.op == ShapeOp::Negate) return a ? apply(node, *a, 0) : a;
    if (node.op == ShapeOp::Or && *a != 0) return 1;
    if (node.op == ShapeOp::And && *a == 0) return 0;
    const std::optional<int64_t> b = value(node.right);
    return b ? apply(node, *a, *b) : b;
  }

private:
  std::optional<int64_t> apply(const ShapeNode &node, int64_t a, int64_t b) {
    const std::optional<int64_t> result = applyShape(node.op, a, b, failure_.what);
    if (!result) failure_.at = node.at;
    return result;
  }

  const ShapeTree &tree_;
  std::span<const int64_t> names_;
  ShapeFailure &failure_;
};

class Printer {
public:
  Printer(std::span<const ShapeNode> nodes, std::span<const std::string> names)
      : nodes_(nodes), names_(names) {}

  ShapeTree print(uint32_t root) {
    write(root, 1);
    return std::move(out_);
  }

private:
  /// Writes node `index` where operators below `level` need parentheses; gives its number in the new tree.
  uint32_t write(uint32_t index, int level) {
    ShapeNode node = nodes_[index];
    const auto [text, own] = kShapeOperators[size_t(node.op)];
    const bool hasParentheses = levelOf(node, own) < level;
    if (hasParentheses) out_.text += "(";
    node.at = uint32_t(out_.text.size());
    switch (node.op) {
    case ShapeOp::Integer:
      writeInteger(node.value);
      break;
    case ShapeOp::Name:
      writeName(node);
      break;
    case ShapeOp::Negate:
      out_.text += "-";
      node.left = write(node.left, kUnaryLevel);
      break;
    case ShapeOp::CeilDivide:
    case ShapeOp::Minimum:
    case ShapeOp::Maximum:
      out_.text.append(text).append("(");
      node.left = write(node.left, 1);
      out_.text += ", ";
      node.right = write(node.right, 1);
      out_.text += ")";
      break;
    default:
      node.left = write(node.left, own);
      node.at = uint32_t(out_.text.size()) + 1;
      out_.text.append(" ").append(text).append(" ");
      node.right = write(node.right, own + 1);
    }
    if (hasParentheses) out_.text += ")";
    out_.nodes.push_back(node);
    return uint32_t(out_.nodes.size() - 1);
  }

  static int levelOf(const ShapeNode &node, int own) {
    if (node.op != ShapeOp::Integer || node.value >= 0) return own;
    return node.value == INT64_MIN ? kShapeOperators[size_t(ShapeOp::Subtract)].level : kUnaryLevel;
  }

  void writeInteger(int64_t value) { // there is no literal for INT64_MIN
    out_.text += value == INT64_MIN ? "-9223372036854775807 - 1" : std::to_string(value);
  }

  void writeName(ShapeNode &node) {
    const std::string &name = names_[size_t(node.value)];
    out_.text += name;
    auto known = std::find(out_.names.begin(), out_.names.end(), name);
    if (known == out_.names.end()) known = out_.names.insert(known, name);
    node.value = known - out_.names.begin();
  }

  std::span<const ShapeNode> nodes_;
  std::span<const std::string> names_;
  ShapeTree out_;
};

} // namespace

std::optional<int64_t> evaluateTree(const ShapeTree &tree, std::span<const int64_t> names,
                                    ShapeFailure &failure) {
  return Evaluation(tree, names, failure).value(uint32_t(tree.nodes.size() - 1));
}

ShapeTree printShape(std::span<const ShapeNode> nodes, uint32_t root, std::span<const std::string> names) {
  return Printer(nodes, names).print(root);
}

} // namespace mxc
