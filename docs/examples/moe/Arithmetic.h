// bf16 on the host, and the layer in f64: what moe.cpp compares with.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

using Matrix = std::vector<double>; // row-major

inline std::uint16_t toBf16(double value) {
  const float rounded = float(value);
  std::uint32_t bits;
  std::memcpy(&bits, &rounded, sizeof bits);
  return std::uint16_t((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

inline double fromBf16(std::uint16_t value) {
  const std::uint32_t bits = std::uint32_t(value) << 16;
  float result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

/// Values that bf16 holds.
inline Matrix randomMatrix(std::size_t count, double scale, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal(0, scale);
  Matrix values(count);
  for (double &value : values)
    value = fromBf16(toBf16(normal(generator)));
  return values;
}

/// The distance of `found`, as a part of what is expected.
template <typename Values> double relativeError(const Values &found, const Matrix &expected) {
  double distance = 0, length = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    distance += (found[i] - expected[i]) * (found[i] - expected[i]);
    length += expected[i] * expected[i];
  }
  return std::sqrt(distance / length);
}

struct Sizes {
  std::int64_t tokens, features, hidden, experts, choices;
};

/// A layer's inputs: x and dout [tokens, features], w13 [experts, 2 hidden, features], w2 [experts, features,
/// hidden], the router's choices [tokens, choices] and their weights.
struct Inputs {
  Matrix x, dout, w13, w2, weights;
  std::vector<int> chosen; // -1: none
};

struct Results {
  Matrix y, dx, dweights, dw13, dw2;
};

/// The layer and its gradients, token by token.
inline Results exactLayer(const Sizes &of, const Inputs &in) {
  const std::int64_t d = of.features, f = of.hidden;
  Results out{Matrix(in.x.size()), Matrix(in.x.size()), Matrix(in.weights.size()), Matrix(in.w13.size()),
              Matrix(in.w2.size())};
  for (std::int64_t i = 0; i < of.tokens * of.choices; ++i) {
    if (in.chosen[i] < 0) continue;
    const std::int64_t token = i / of.choices;
    const double *x = &in.x[token * d], *dout = &in.dout[token * d], weight = in.weights[i];
    const double *w13 = &in.w13[in.chosen[i] * 2 * f * d], *w2 = &in.w2[in.chosen[i] * d * f];
    double *dw13 = &out.dw13[in.chosen[i] * 2 * f * d], *dw2 = &out.dw2[in.chosen[i] * d * f];
    Matrix z(2 * f), h(f), dh(f), dz(2 * f);
    for (std::int64_t n = 0; n < 2 * f; ++n)
      for (std::int64_t k = 0; k < d; ++k)
        z[n] += w13[n * d + k] * x[k];
    for (std::int64_t k = 0; k < f; ++k)
      h[k] = z[k] / (1 + std::exp(-z[k])) * z[f + k];
    for (std::int64_t n = 0; n < d; ++n) {
      double y = 0;
      for (std::int64_t k = 0; k < f; ++k) {
        y += w2[n * f + k] * h[k];
        dh[k] += weight * dout[n] * w2[n * f + k];
        dw2[n * f + k] += weight * dout[n] * h[k];
      }
      out.y[token * d + n] += weight * y;
      out.dweights[i] += dout[n] * y;
    }
    for (std::int64_t k = 0; k < f; ++k) {
      const double sig = 1 / (1 + std::exp(-z[k])), silu = z[k] * sig;
      dz[k] = dh[k] * z[f + k] * (sig + silu * (1 - sig));
      dz[f + k] = dh[k] * silu;
    }
    for (std::int64_t n = 0; n < 2 * f; ++n)
      for (std::int64_t k = 0; k < d; ++k) {
        out.dx[token * d + k] += dz[n] * w13[n * d + k];
        dw13[n * d + k] += dz[n] * x[k];
      }
  }
  return out;
}
