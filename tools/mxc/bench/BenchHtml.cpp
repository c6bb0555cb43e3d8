#include "tools/mxc/bench/BenchReport.h"
#include "tools/mxc/bench/Formatted.h"
#include "tools/mxc/bench/HtmlPage.h"

#include <algorithm>

namespace mxc::bench {

namespace {

/// Every case's contenders as bars of their rates, with the ceiling as a line through them. What moves no
/// bytes has no bar.
std::string bars(const Case &result) {
  const bool hasOperations = result.hasOperations(), hasTensor = result.tensorCeiling() != nullptr;
  std::vector<std::string> heads = {"memory", "us", "GB/s"};
  if (hasOperations) heads.push_back("TFLOP/s");
  heads.push_back("of ceiling");
  if (hasTensor) heads.push_back("of tensor");
  auto share = [](const std::optional<double> &ratio) {
    return ratio ? formatted("%.3f", *ratio) : std::string("-");
  };
  std::vector<Bar> all;
  for (const Row &row : result.rows) {
    const bool isCeiling = row.isCeiling || row.isTensorCeiling;
    Bar bar{row.name,
            row.name + (row.tile.empty() || row.tile == row.name ? "" : ": " + row.tile),
            isCeiling   ? Mark::Ceiling
            : row.ratio ? Mark::Kernel
                        : Mark::Unsure,
            row.bytes > 0 ? row.gigabytesPerSecond() : 0,
            {}};
    bar.cells = {formatted("%.2f", row.timing.median()),
                 row.bytes > 0 ? formatted("%.0f", row.gigabytesPerSecond()) : "-"};
    if (hasOperations)
      bar.cells.push_back(row.operations > 0 ? formatted("%.0f", row.teraflopsPerSecond()) : "-");
    bar.cells.push_back(share(row.ratio));
    if (hasTensor) bar.cells.push_back(share(row.tensorRatio));
    all.push_back(std::move(bar));
  }
  const Row *ceiling = result.ceiling();
  return barsSvg(heads, all, ceiling ? std::optional(ceiling->gigabytesPerSecond()) : std::nullopt);
}

std::string titleOf(const Case &result, const Row &row, const std::string &rate) {
  return result.kernel + ", " + result.shape + ", " + row.name +
         formatted(": %.2f us, ", row.timing.median()) + rate;
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
                          titleOf(result, row, formatted("%.0f GB/s", row.gigabytesPerSecond())),
                          row.ratio ? Mark::Kernel : Mark::Unsure});
    if (const Row *ceiling = result.ceiling())
      roof.emplace_back(ceiling->bytes / 1e6, ceiling->gigabytesPerSecond());
  }
  std::ranges::sort(roof);
  return scatterSvg(points, roof, "MB a launch", "GB/s", "the streaming kernels of the same traffic");
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
                          titleOf(result, row, formatted("%.0f TFLOP/s", row.teraflopsPerSecond())),
                          row.ratio ? Mark::Kernel : Mark::Unsure});
        most = std::max(most, row.teraflopsPerSecond());
      }
  }
  if (points.empty()) return "";
  if (tensor > 0) most = tensor;
  const double knee = most * 1e3 / rate; // operations a byte
  double right = knee * 10;
  for (const Point &point : points)
    right = std::max(right, point.x);
  const std::string flat = tensor > 0 ? "that of a kernel that only multiplies"
                                      : "the fastest product of this run, not the chip's peak";
  return "<h2>Products</h2>\n<p>The slope is the streaming kernels' best rate; the flat roof is " + flat +
         ".</p>\n" +
         scatterSvg(points, {{knee / 100, most / 100}, {knee, most}, {right, most}}, "operations a byte",
                    "TFLOP/s", "the roofs that were measured");
}

} // namespace

std::string reportHtml(const Report &report) {
  std::string body = "<p>" + escaped(headText(report)) + "</p>\n<h2>Rates over sizes</h2>\n" +
                     bandwidthRoof(report) + computeRoof(report);
  for (const Case &result : report.cases) {
    body += "<h2>" + escaped(result.kernel) + ", " + escaped(result.shape) + (result.pdl ? ", PDL" : "") +
            "</h2>\n" + bars(result) + "<small>" + escaped(result.file) +
            formatted(", %.1f MB a launch, clocks ", result.rows.front().bytes / 1e6) +
            escaped(result.clocks.text());
    for (const Row &row : result.rows)
      if (!row.remark.empty()) body += "<br>" + escaped(row.name) + ": " + escaped(row.remark);
    body += "</small>\n";
  }
  return htmlPage("mxc bench", body);
}

} // namespace mxc::bench
