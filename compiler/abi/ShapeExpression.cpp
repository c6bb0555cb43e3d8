#include "compiler/abi/ShapeExpression.h"

#include "compiler/abi/ShapeTree.h"
#include "dialect/formats/Error.h"

#include <algorithm>

namespace mxc {

ShapeExpression::ShapeExpression(std::string_view text) {
  if (!text.empty()) tree_ = std::make_shared<const ShapeTree>(parseShape(text));
}

std::optional<ShapeExpression> ShapeExpression::parse(std::string_view text, std::string &error) {
  try {
    return ShapeExpression(text);
  } catch (const Error &problem) {
    error = problem.what();
    return std::nullopt;
  }
}

const std::string &ShapeExpression::text() const {
  static const std::string nothing;
  return tree_ ? tree_->text : nothing;
}

std::span<const std::string> ShapeExpression::names() const {
  return tree_ ? std::span<const std::string>(tree_->names) : std::span<const std::string>();
}

std::optional<std::string_view> ShapeExpression::name() const {
  if (!tree_ || tree_->nodes.back().op != ShapeOp::Name) return std::nullopt;
  return tree_->names.front();
}

std::optional<int64_t> ShapeExpression::constant() const {
  ShapeFailure failure;
  if (!tree_ || !tree_->names.empty()) return std::nullopt;
  return evaluateTree(*tree_, {}, failure);
}

static std::string unknown(const ShapeTree &tree, size_t name) {
  const auto use = std::find_if(tree.nodes.begin(), tree.nodes.end(), [&](const ShapeNode &node) {
    return node.op == ShapeOp::Name && size_t(node.value) == name;
  });
  return shapeError(tree.text, "unknown dimension '" + tree.names[name] + "'", use->at);
}

std::optional<int64_t> ShapeExpression::evaluate(const Dimensions &values, std::string &error) const {
  if (!tree_) {
    error = shapeError("", "expected a value", 0);
    return std::nullopt;
  }
  const ShapeTree &tree = *tree_;
  int64_t resolved[kMaxShapeNames];
  if (tree.names.size() > kMaxShapeNames) { // of a conjunction: the parser takes no more
    error = shapeError(tree.text, "too many names", 0);
    return std::nullopt;
  }
  for (size_t i = 0; i < tree.names.size(); ++i) {
    const auto found = values.find(tree.names[i]);
    if (found == values.end()) {
      error = unknown(tree, i);
      return std::nullopt;
    }
    resolved[i] = found->second;
  }
  ShapeFailure failure;
  const std::optional<int64_t> value = evaluateTree(tree, resolved, failure);
  if (!value) error = shapeError(tree.text, failure.what, failure.at);
  return value;
}

int64_t ShapeExpression::evaluate(const Dimensions &values) const {
  std::string error;
  if (const std::optional<int64_t> value = evaluate(values, error)) return *value;
  throw Error(ErrorKind::InvalidInput, error);
}

std::string ShapeExpression::unknownName(std::span<const std::string> known) const {
  for (size_t i = 0; tree_ && i < tree_->names.size(); ++i)
    if (std::find(known.begin(), known.end(), tree_->names[i]) == known.end()) return unknown(*tree_, i);
  return {};
}

ShapeExpression ShapeExpression::substitute(const Dimensions &values) const {
  if (!tree_) return {};
  std::vector<ShapeNode> nodes = tree_->nodes;
  for (ShapeNode &node : nodes) {
    if (node.op != ShapeOp::Name) continue;
    const auto found = values.find(tree_->names[size_t(node.value)]);
    if (found != values.end()) node.op = ShapeOp::Integer, node.value = found->second;
  }
  return ShapeExpression(
      std::make_shared<const ShapeTree>(printShape(nodes, uint32_t(nodes.size() - 1), tree_->names)));
}

/// The node that stands for `node`, a tree's operator with folded operands: itself, or one of its operands.
static uint32_t foldNode(std::vector<ShapeNode> &nodes, uint32_t index) {
  ShapeNode &node = nodes[index];
  if (node.isLeaf()) return index;
  const ShapeNode a = nodes[node.left], b = nodes[node.op == ShapeOp::Negate ? node.left : node.right];
  const char *failure = nullptr;
  const auto isNumber = [](const ShapeNode &operand) { return operand.op == ShapeOp::Integer; };
  const auto is = [&](const ShapeNode &operand, int64_t value) {
    return isNumber(operand) && operand.value == value;
  };
  const auto become = [&](int64_t value) {
    node.op = ShapeOp::Integer, node.value = value;
    return index;
  };
  if (node.op == ShapeOp::And || node.op == ShapeOp::Or) { // the value that decides, on the left, or does not
    const bool decided = node.op == ShapeOp::Or;
    if (isNumber(a) && (a.value != 0) == decided) return become(decided);
    if (isNumber(a) && b.isCondition()) return node.right;
    if (isNumber(b) && (b.value != 0) != decided && a.isCondition()) return node.left;
  }
  if (isNumber(a) && isNumber(b))
    if (const std::optional<int64_t> value = applyShape(node.op, a.value, b.value, failure))
      return become(*value);
  switch (node.op) {
  case ShapeOp::Add:
    return is(a, 0) ? node.right : is(b, 0) ? node.left : index;
  case ShapeOp::Subtract:
    return is(b, 0) ? node.left : index;
  case ShapeOp::Multiply:
    return is(a, 1) ? node.right : is(b, 1) ? node.left : index;
  case ShapeOp::Divide:
  case ShapeOp::CeilDivide:
    return is(b, 1) ? node.left : index;
  default:
    return index;
  }
}

ShapeExpression ShapeExpression::fold() const {
  if (!tree_) return {};
  std::vector<ShapeNode> nodes = tree_->nodes;
  std::vector<uint32_t> folded(nodes.size());
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].isLeaf()) nodes[i].left = folded[nodes[i].left], nodes[i].right = folded[nodes[i].right];
    folded[i] = foldNode(nodes, i);
  }
  return ShapeExpression(std::make_shared<const ShapeTree>(printShape(nodes, folded.back(), tree_->names)));
}

/// Appends `tree` to `nodes`, and its names to `names`; returns the number of its last node.
static uint32_t append(const ShapeTree &tree, std::vector<ShapeNode> &nodes,
                       std::vector<std::string> &names) {
  const uint32_t first = uint32_t(nodes.size());
  for (ShapeNode node : tree.nodes) {
    node.left += first, node.right += first;
    if (node.op == ShapeOp::Name) node.value += int64_t(names.size());
    nodes.push_back(node);
  }
  names.insert(names.end(), tree.names.begin(), tree.names.end());
  return uint32_t(nodes.size() - 1);
}

ShapeExpression ShapeExpression::conjunction(std::span<const ShapeExpression> conditions) {
  std::vector<ShapeNode> nodes;
  std::vector<std::string> names;
  std::optional<uint32_t> all;
  for (const ShapeExpression &condition : conditions) {
    if (condition.empty()) continue;
    const uint32_t last = append(*condition.tree_, nodes, names);
    if (all) nodes.push_back({ShapeOp::And, 0, *all, last, 0});
    all = uint32_t(nodes.size() - 1);
  }
  if (!all) return {};
  return ShapeExpression(std::make_shared<const ShapeTree>(printShape(nodes, *all, names)));
}

ShapeExpression ShapeExpression::number(int64_t value) {
  const ShapeNode node = {.op = ShapeOp::Integer, .value = value};
  return ShapeExpression(std::make_shared<const ShapeTree>(printShape({&node, 1}, 0, {})));
}

ShapeExpression ShapeExpression::joined(ShapeOp op, const ShapeExpression &a, const ShapeExpression &b) {
  if (a.empty() || b.empty()) return a.empty() ? b : a;
  std::vector<ShapeNode> nodes;
  std::vector<std::string> names;
  const uint32_t left = append(*a.tree_, nodes, names), right = append(*b.tree_, nodes, names);
  nodes.push_back({op, 0, left, right, 0});
  const uint32_t root = foldNode(nodes, right + 1);
  return ShapeExpression(std::make_shared<const ShapeTree>(printShape(nodes, root, names)));
}

ShapeExpression ShapeExpression::sum(const ShapeExpression &a, const ShapeExpression &b) {
  return joined(ShapeOp::Add, a, b);
}
ShapeExpression ShapeExpression::product(const ShapeExpression &a, const ShapeExpression &b) {
  return joined(ShapeOp::Multiply, a, b);
}
ShapeExpression ShapeExpression::quotient(const ShapeExpression &a, const ShapeExpression &b) {
  return joined(ShapeOp::Divide, a, b);
}
ShapeExpression ShapeExpression::ceilQuotient(const ShapeExpression &a, const ShapeExpression &b) {
  return joined(ShapeOp::CeilDivide, a, b);
}
ShapeExpression ShapeExpression::minimum(const ShapeExpression &a, const ShapeExpression &b) {
  return joined(ShapeOp::Minimum, a, b);
}
ShapeExpression ShapeExpression::maximum(const ShapeExpression &a, const ShapeExpression &b) {
  return joined(ShapeOp::Maximum, a, b);
}

} // namespace mxc
