// A layer of SwiGLU experts in MXFP8, forward and backward, from the kernels of moe.mlir: every token goes to
// two experts, and the layer and all its gradients are held against f64.
//
//   build/bin/example-moe docs/examples/moe simulator:sm_90a
#include "docs/examples/moe/Arithmetic.h"

#include <mxc/mxc.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>

using namespace mxc::host;

constexpr std::int64_t kAlign = 128; // rows: where groups begin
static std::int64_t up(std::int64_t rows) { return (rows + kAlign - 1) / kAlign * kAlign; }

/// Device memory with what lies there.
struct Device {
  Buffer memory;
  View view;

  Device(const Engine &engine, const std::string &type, std::vector<std::int64_t> shape, int bytes)
      : memory(engine, std::size_t(std::accumulate(shape.begin(), shape.end(), std::int64_t(bytes),
                                                   std::multiplies<>()))),
        view(memory.view(type, std::move(shape))) {}

  /// Columns from `first` on.
  View columns(std::int64_t first, std::int64_t count, int bytes) const {
    return {
        view.address + std::uint64_t(first * bytes), view.type, {view.shape[0], count}, {view.shape[1], 1}};
  }
};

struct Quantized {
  Device q, s;
};
struct Both {
  Quantized rows, columns; // the copy along columns is transposed
};

/// Where the tokens lie in the order of their experts.
struct Places {
  std::vector<std::int32_t> ends, index, rows; // of experts; the token of each row; the row of each choice

  Places(const Sizes &of, const std::vector<int> &chosen) : rows(chosen.size(), -1) {
    // What holds them however they are spread: a host that does not know the choices takes the same.
    index.assign(std::size_t(up(of.tokens * of.choices + of.experts * (kAlign - 1))), -1);
    std::int64_t row = 0;
    for (int expert = 0; expert < of.experts; ++expert) {
      row = up(row);
      for (std::size_t i = 0; i < chosen.size(); ++i)
        if (chosen[i] == expert)
          index[std::size_t(row)] = std::int32_t(std::int64_t(i) / of.choices), rows[i] = std::int32_t(row++);
      ends.push_back(std::int32_t(row));
    }
  }
};

class Layer {
public:
  Layer(const std::string &folder, const std::string &device, const Sizes &of)
      : engine_(device), stream_(engine_), of_(of) {
    for (const char *name :
         {"weight_rows", "weight_columns", "permute", "product", "activate", "combine", "weights_gradient",
          "permute_gradient", "activate_gradient", "quantize_rows", "wgrad", "sum"})
      kernels_.emplace(name, engine_.loadFile(folder + "/moe.mlir", {name, {}, {}}));
  }

  Results run(const Inputs &in) const {
    const std::int64_t d = of_.features, f = of_.hidden, g = of_.experts;
    const Places places(of_, in.chosen);
    const std::int64_t rows = std::int64_t(places.index.size());
    const Device x = values(in.x, of_.tokens, d), dout = values(in.dout, of_.tokens, d),
                 ends = numbers(places.ends, "i32", {g}), index = numbers(places.index, "i32", {rows}),
                 table = numbers(places.rows, "i32", {of_.tokens, of_.choices}),
                 weights = numbers(floats(in.weights), "f32", {of_.tokens, of_.choices});
    const Both w13 = experts(in.w13, 2, f, d), w2 = experts(in.w2, 1, d, f);

    // Forward. z, y and the copies along columns are kept.
    const Both tokens =
        quantize("permute", rows, d, {{"x", x.view}, {"ends", ends.view}, {"index", index.view}});
    const Device z = empty("bf16", {rows, 2 * f}, 2);
    const Argument gate("gate", z.columns(0, f, 2)), ups("up", z.columns(f, f, 2));
    const Both h =
        quantize("activate", rows, f, withOperands(tokens.rows, w13.rows, {{"ends", ends.view}, gate, ups}));
    const Device y = product(h.rows, w2.rows, ends, rows, d), out = empty("bf16", {of_.tokens, d}, 2);
    launch("combine", {{"h", y.view}, {"rows", table.view}, {"weights", weights.view}, {"y", out.view}});

    // Backward.
    const Device dweights = empty("f32", {of_.tokens, of_.choices}, 4);
    launch("weights_gradient",
           {{"dy", dout.view}, {"h", y.view}, {"rows", table.view}, {"dw", dweights.view}});
    std::vector<float> ofRows(std::size_t(rows), 0.0f);
    for (std::size_t i = 0; i < places.rows.size(); ++i)
      if (places.rows[i] >= 0) ofRows[std::size_t(places.rows[i])] = float(in.weights[i]);
    const Device factors = numbers(ofRows, "f32", {rows});
    const Both dy =
        quantize("permute_gradient", rows, d,
                 {{"x", dout.view}, {"ends", ends.view}, {"index", index.view}, {"factors", factors.view}});
    const Device dz = empty("bf16", {rows, 2 * f}, 2);
    launch(
        "activate_gradient",
        withOperands(
            dy.rows, w2.columns,
            {{"ends", ends.view}, gate, ups, {"dgate", dz.columns(0, f, 2)}, {"dup", dz.columns(f, f, 2)}}));
    const Both dzs = quantize("quantize_rows", rows, 2 * f, {{"x", dz.view}, {"ends", ends.view}});
    const Device dw2 = wgrad(dy.columns, h.columns, ends, d, f),
                 dw13 = wgrad(dzs.columns, tokens.columns, ends, 2 * f, d),
                 dx = product(dzs.rows, w13.columns, ends, rows, d), dxs = empty("bf16", {of_.tokens, d}, 2);
    launch("sum", {{"h", dx.view}, {"rows", table.view}, {"y", dxs.view}});
    stream_.synchronize();
    return {fromValues(out), fromValues(dxs), fromFloats(dweights), fromFloats(dw13), fromFloats(dw2)};
  }

private:
  Device empty(const std::string &type, std::vector<std::int64_t> shape, int bytes) const {
    Device made(engine_, type, std::move(shape), bytes);
    // What no kernel writes is NaN: nothing may depend on rows of nobody.
    made.memory.upload(std::vector<std::uint8_t>(made.memory.bytes(), 0xFF));
    return made;
  }

  template <typename Number>
  Device numbers(const std::vector<Number> &given, const char *type, std::vector<std::int64_t> shape) const {
    Device made(engine_, type, std::move(shape), sizeof(Number));
    made.memory.upload(given);
    return made;
  }

  Device values(const Matrix &matrix, std::int64_t rows, std::int64_t columns, std::size_t first = 0) const {
    std::vector<std::uint16_t> given;
    for (std::size_t i = first; i < first + std::size_t(rows * columns); ++i)
      given.push_back(toBf16(matrix[i]));
    return numbers(given, "bf16", {rows, columns});
  }

  static std::vector<float> floats(const Matrix &matrix) { return {matrix.begin(), matrix.end()}; }
  static Matrix fromFloats(const Device &tensor) {
    const std::vector<float> found = tensor.memory.download<float>();
    return {found.begin(), found.end()};
  }
  static Matrix fromValues(const Device &tensor) {
    Matrix found;
    for (std::uint16_t value : tensor.memory.download<std::uint16_t>())
      found.push_back(fromBf16(value));
    return found;
  }

  void launch(const std::string &name, const Arguments &arguments) const {
    kernels_.at(name).launch(arguments, {stream_});
  }

  static std::int64_t scaleBytes(std::int64_t rows,
                                 std::int64_t columns) { // whole tiles of 128 rows x 128 elements
    return up(rows) / kAlign * up(columns) / kAlign * 512;
  }
  Quantized copy(std::int64_t rows, std::int64_t columns) const {
    return {empty("e4m3", {rows, columns}, 1), empty("ue8m0", {scaleBytes(rows, columns)}, 1)};
  }

  Both quantize(const std::string &kernel, std::int64_t rows, std::int64_t columns,
                Arguments arguments) const {
    Both made{copy(rows, columns), copy(columns, rows)};
    for (const auto &[name, tensor] : {std::pair("q", &made.rows.q), std::pair("s", &made.rows.s),
                                       std::pair("qt", &made.columns.q), std::pair("st", &made.columns.s)})
      arguments.emplace_back(name, tensor->view);
    launch(kernel, arguments);
    return made;
  }

  /// Copies of weights [experts, parts * rows, columns]: the one along rows is a matrix for every part, whose
  /// scales begin at a tile of their own; the one along columns has all of an expert's rows.
  Both experts(const Matrix &weights, std::int64_t parts, std::int64_t rows, std::int64_t columns) const {
    const std::int64_t g = of_.experts, all = parts * rows;
    std::vector<std::int64_t> shape = {g, parts, rows, columns};
    if (parts == 1) shape.erase(shape.begin() + 1);
    Both made{{empty("e4m3", shape, 1), empty("ue8m0", {g * parts * scaleBytes(rows, columns)}, 1)},
              {empty("e4m3", {g, columns, all}, 1), empty("ue8m0", {g * scaleBytes(columns, all)}, 1)}};
    copyEach("weight_rows", weights, g * parts, {rows, columns}, made.rows, {rows, columns});
    copyEach("weight_columns", weights, g, {all, columns}, made.columns, {columns, all});
    return made;
  }

  /// Quantizes `count` matrices of one shape: the copies of each follow those of the one before.
  void copyEach(const std::string &kernel, const Matrix &weights, std::int64_t count,
                const std::vector<std::int64_t> &shape, const Quantized &made,
                const std::vector<std::int64_t> &shapeOfCopy) const {
    for (std::int64_t i = 0; i < count; ++i) {
      const Device x = values(weights, shape[0], shape[1], std::size_t(i * shape[0] * shape[1]));
      auto part = [&](const Device &whole, std::vector<std::int64_t> of) {
        const std::uint64_t bytes = whole.memory.bytes() / std::uint64_t(count);
        return View{whole.view.address + bytes * std::uint64_t(i), whole.view.type, std::move(of), {}};
      };
      launch(kernel, {{"x", x.view},
                      {"q", part(made.q, shapeOfCopy)},
                      {"s", part(made.s, {scaleBytes(shapeOfCopy[0], shapeOfCopy[1])})}});
      stream_.synchronize(); // x goes
    }
  }

  static Arguments withOperands(const Quantized &a, const Quantized &b, Arguments others) {
    Arguments all = {{"a", a.q.view}, {"sa", a.s.view}, {"b", b.q.view}, {"sb", b.s.view}};
    all.insert(all.end(), others.begin(), others.end());
    return all;
  }

  Device product(const Quantized &a, const Quantized &b, const Device &ends, std::int64_t rows,
                 std::int64_t columns) const {
    Device c = empty("bf16", {rows, columns}, 2);
    launch("product", withOperands(a, b, {{"ends", ends.view}, {"c", c.view}}));
    return c;
  }

  Device wgrad(const Quantized &a, const Quantized &b, const Device &ends, std::int64_t rows,
               std::int64_t columns) const {
    Device c = empty("f32", {of_.experts, rows, columns}, 4);
    launch("wgrad", withOperands(a, b, {{"ends", ends.view}, {"c", c.view}}));
    return c;
  }

  Engine engine_;
  Stream stream_;
  Sizes of_;
  std::map<std::string, Kernel> kernels_;
};

static bool isNear(const char *name, const Matrix &found, const Matrix &expected) {
  constexpr double kMost = 0.08; // three products of operands with 4 bits, each off by some 0.03
  const double error = relativeError(found, expected);
  std::printf("%s: off by %.3f\n", name, error);
  return error < kMost; // not where it is NaN
}

int main(int argc, char **argv) try {
  const std::string folder = argc > 1 ? argv[1] : ".", device = argc > 2 ? argv[2] : "cuda:0";
  const Sizes of{.tokens = 70, .features = 160, .hidden = 96, .experts = 4, .choices = 2};
  const std::int64_t d = of.features, f = of.hidden;
  Inputs in{randomMatrix(std::size_t(of.tokens * d), 1, 1),
            randomMatrix(std::size_t(of.tokens * d), 1, 2),
            randomMatrix(std::size_t(of.experts * 2 * f * d), 0.1, 3),
            randomMatrix(std::size_t(of.experts * d * f), 0.1, 4),
            randomMatrix(std::size_t(of.tokens * of.choices), 0.5, 5),
            {}};
  for (int i = 0; i < of.tokens * of.choices; ++i) // expert 2 has no token, and some choices are none
    in.chosen.push_back(i % 11 == 10 ? -1 : i % 2 ? 3 : i % 3 / 2);
  const Results found = Layer(folder, device, of).run(in), expected = exactLayer(of, in);
  bool isRight = isNear("y", found.y, expected.y);
  isRight &= isNear("dx", found.dx, expected.dx);
  isRight &= isNear("dweights", found.dweights, expected.dweights);
  isRight &= isNear("dw13", found.dw13, expected.dw13);
  isRight &= isNear("dw2", found.dw2, expected.dw2);
  return !isRight;
} catch (const Error &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.status();
}
