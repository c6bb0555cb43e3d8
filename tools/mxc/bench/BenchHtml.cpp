#include "tools/mxc/bench/BenchReport.h"
#include "tools/mxc/bench/Formatted.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace mxc::bench {

namespace {

constexpr int kWidth = 900; // of a drawing, in pixels
constexpr const char *kKernel = "#2563eb", *kCeiling = "#9ca3af", *kRefused = "#93c5fd";

std::string escaped(const std::string &text) {
  std::string result;
  for (char c : text)
    if (c == '<')
      result += "&lt;";
    else if (c == '&')
      result += "&amp;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  return result;
}

std::string label(double x, double y, const std::string &text, const char *anchor = "start") {
  return formatted("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor) + escaped(text) +
         "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2, const char *style) {
  return formatted("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2, style);
}

/// A logarithmic axis from a power of ten below the values to one above.
struct Axis {
  double low = 0, high = 1, from, to; // powers of ten; pixels

  Axis(std::vector<double> values, double from, double to) : from(from), to(to) {
    std::erase_if(values, [](double value) { return !(value > 0) || !std::isfinite(value); });
    if (values.empty()) return;
    low = std::floor(std::log10(*std::ranges::min_element(values)));
    high = std::max(low + 1, std::ceil(std::log10(*std::ranges::max_element(values))));
  }
  double at(double value) const { return from + (std::log10(value) - low) / (high - low) * (to - from); }
};

/// Every case's contenders as bars from zero, with the ceiling as a line through them. What moves no bytes
/// has no bar.
std::string bars(const Case &result) {
  constexpr double kLeft = 330, kStep = 24;
  double most = 0;
  for (const Row &row : result.rows)
    most = std::max(most, row.gigabytesPerSecond());
  const double scale = (kWidth - kLeft - 190) / most,
               height = kStep * static_cast<double>(result.rows.size());
  std::string svg = formatted("<svg viewBox=\"0 0 %d %.0f\" role=\"img\">\n", kWidth, height + 8);
  double y = 4;
  for (const Row &row : result.rows) {
    const double length = row.gigabytesPerSecond() * scale;
    const char *colour = row.isCeiling || row.isTensorCeiling ? kCeiling : row.ratio ? kKernel : kRefused;
    svg += label(kLeft - 8, y + 15, row.name.size() > 40 ? row.name.substr(0, 37) + "..." : row.name, "end");
    svg += formatted("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"18\" fill=\"%s\"><title>", kLeft, y,
                     length, colour) +
           escaped(row.tile) + "</title></rect>\n";
    std::string value = row.isTensorCeiling ? "" : formatted("%.0f GB/s, ", row.gigabytesPerSecond());
    if (row.operations > 0) value += formatted("%.0f TFLOP/s, ", row.teraflopsPerSecond());
    const std::optional<double> &ratio = row.isTensorCeiling ? row.tensorRatio : row.ratio;
    value += ratio ? formatted("%.3f", *ratio) : "no ratio";
    if (row.tensorRatio && !row.isTensorCeiling)
      value += formatted(", %.3f of the tensor cores", *row.tensorRatio);
    svg += label(kLeft + length + 6, y + 15, value);
    y += kStep;
  }
  if (const Row *ceiling = result.ceiling()) {
    const double x = kLeft + ceiling->gigabytesPerSecond() * scale;
    svg += line(x, 0, x, height, "stroke=\"#dc2626\" stroke-dasharray=\"4 3\"");
  }
  return svg + "</svg>\n";
}

struct Point {
  double x, y;
  std::string name;
  const char *colour;
};

/// Points under a roof, both axes logarithmic.
std::string scatter(const std::vector<Point> &points, const std::vector<std::pair<double, double>> &roof,
                    const std::string &xTitle, const std::string &yTitle) {
  constexpr double kLeft = 80, kRight = kWidth - 30, kTop = 20, kBottom = 340;
  std::vector<double> xs, ys;
  for (const Point &point : points)
    xs.push_back(point.x), ys.push_back(point.y);
  for (auto [x, y] : roof)
    xs.push_back(x), ys.push_back(y);
  const Axis x(xs, kLeft, kRight), y(ys, kBottom, kTop);
  std::string svg = formatted("<svg viewBox=\"0 0 %d 390\" role=\"img\">\n", kWidth);
  for (double power = x.low; power <= x.high; ++power) {
    const double at = x.at(std::pow(10, power));
    svg += line(at, kTop, at, kBottom, "stroke=\"#e5e7eb\"") +
           label(at, kBottom + 18, formatted("%g", std::pow(10, power)), "middle");
  }
  for (double power = y.low; power <= y.high; ++power) {
    const double at = y.at(std::pow(10, power));
    svg += line(kLeft, at, kRight, at, "stroke=\"#e5e7eb\"") +
           label(kLeft - 8, at + 4, formatted("%g", std::pow(10, power)), "end");
  }
  std::string path;
  for (auto [px, py] : roof)
    path += formatted("%s%.1f %.1f ", path.empty() ? "M" : "L", x.at(px), y.at(py));
  if (!path.empty())
    svg += "<path d=\"" + path + "\" fill=\"none\" stroke=\"#dc2626\" stroke-width=\"2\"/>\n";
  for (const Point &point : points)
    svg += formatted("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"%s\"><title>", x.at(point.x),
                     y.at(point.y), point.colour) +
           escaped(point.name) + "</title></circle>\n";
  return svg + label((kLeft + kRight) / 2, 385, xTitle, "middle") + label(kLeft, 12, yTitle) + "</svg>\n";
}

/// Rates over sizes: small launches cannot reach the memory's rate, and their ceiling says how near they may
/// come.
std::string bandwidthRoof(const Report &report) {
  std::vector<Point> points;
  std::vector<std::pair<double, double>> roof;
  for (const Case &result : report.cases) {
    for (const Row &row : result.rows)
      if (!row.isCeiling && !row.isTensorCeiling)
        points.push_back({row.bytes / 1e6, row.gigabytesPerSecond(),
                          result.kernel + ", " + result.shape + ", " + row.name +
                              formatted(": %.0f GB/s", row.gigabytesPerSecond()),
                          row.ratio ? kKernel : kRefused});
    if (const Row *ceiling = result.ceiling())
      roof.emplace_back(ceiling->bytes / 1e6, ceiling->gigabytesPerSecond());
  }
  std::ranges::sort(roof);
  return scatter(points, roof, "MB a launch", "GB/s; red: the streaming kernels of the same traffic");
}

/// Products over their arithmetic intensity, under the slope of the memory's rate and the roof of the tensor
/// cores' that were measured beside them.
std::string computeRoof(const Report &report) {
  std::vector<Point> points;
  double most = 0, tensor = 0, rate = 0;
  for (const Case &result : report.cases) {
    if (const Row *ceiling = result.ceiling()) rate = std::max(rate, ceiling->gigabytesPerSecond());
    for (const Row &row : result.rows)
      if (row.isTensorCeiling) {
        tensor = std::max(tensor, row.teraflopsPerSecond());
      } else if (row.operations > 0) {
        points.push_back({row.operations / row.bytes, row.teraflopsPerSecond(),
                          result.kernel + ", " + result.shape + ", " + row.name +
                              formatted(": %.0f TFLOP/s", row.teraflopsPerSecond()),
                          kKernel});
        most = std::max(most, row.teraflopsPerSecond());
      }
  }
  if (points.empty()) return "";
  if (tensor > 0) most = tensor;
  const double knee = most * 1e3 / rate; // operations a byte
  double right = knee * 10;
  for (const Point &point : points)
    right = std::max(right, point.x);
  return "<h2>Products</h2>\n<p>The slope is the streaming kernels' best rate; the flat roof is " +
         std::string(tensor > 0 ? "that of a kernel that only multiplies"
                                : "the fastest product of this run, not the chip's peak") +
         ".</p>\n" +
         scatter(points, {{knee / 100, most / 100}, {knee, most}, {right, most}}, "operations a byte",
                 "TFLOP/s");
}

} // namespace

std::string reportHtml(const Report &report) {
  std::string html =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>mxc bench</title>\n<style>\n"
      "body { font: 15px/1.45 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; "
      "color: #111827; }\n"
      "svg { width: 100%; height: auto; font: 13px system-ui, sans-serif; }\nsmall { color: #4b5563; "
      "}\n</style></head><body>\n"
      "<h1>mxc bench</h1>\n<p>" +
      escaped(headText(report)) + "</p>\n<h2>Rates over sizes</h2>\n" + bandwidthRoof(report) +
      computeRoof(report);
  for (const Case &result : report.cases) {
    html += "<h2>" + escaped(result.kernel) + ", " + escaped(result.shape) + (result.pdl ? ", PDL" : "") +
            "</h2>\n" + bars(result) + "<small>" + escaped(result.file) +
            formatted(", %.1f MB a launch, clocks ", result.rows.front().bytes / 1e6) +
            escaped(result.clocks.text());
    for (const Row &row : result.rows)
      if (!row.remark.empty()) html += "<br>" + escaped(row.name) + ": " + escaped(row.remark);
    html += "</small>\n";
  }
  return html + "</body></html>\n";
}

} // namespace mxc::bench
