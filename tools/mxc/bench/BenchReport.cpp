#include "tools/mxc/bench/BenchReport.h"
#include "tools/mxc/bench/Formatted.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace mxc::bench {

std::string headText(const Report &report) {
  return formatted("%s (%s), driver %d.%d, mxc %s\n", report.model.c_str(), report.device.c_str(),
                   report.driverVersion / 1000, report.driverVersion % 1000 / 10, report.version.c_str());
}

std::string caseText(const Case &result) {
  std::string text =
      formatted("\n%s (%s), %s%s: %.1f MB a launch, %d sets, clocks %s\n", result.kernel.c_str(),
                result.file.c_str(), result.shape.c_str(), result.pdl ? ", PDL" : "",
                result.rows.front().bytes / 1e6, result.sets, result.clocks.text().c_str());
  size_t width = 9;
  for (const Row &row : result.rows)
    width = std::max(width, row.name.size());
  const bool hasOperations = result.hasOperations(), hasTensor = result.tensorCeiling() != nullptr;
  auto ratio = [](const std::optional<double> &value) {
    return value ? formatted(" %10.3f", *value) : "          -";
  };
  text += formatted("  %-*s %10s %8s%s %10s%s %8s\n", static_cast<int>(width), "contender", "us", "GB/s",
                    hasOperations ? "  TFLOP/s" : "", "of ceiling", hasTensor ? "  of tensor" : "", "spread");
  for (const Row &row : result.rows) {
    text += "  " + row.name + std::string(width - row.name.size(), ' ') +
            formatted(" %10.2f", row.timing.median()) +
            (row.bytes > 0 ? formatted(" %8.0f", row.gigabytesPerSecond()) : "        -");
    if (hasOperations)
      text += row.operations > 0 ? formatted(" %8.0f", row.teraflopsPerSecond()) : "         ";
    text += ratio(row.ratio) + (hasTensor ? ratio(row.tensorRatio) : "") +
            formatted(" %6.2f %%", 100 * row.timing.spread()) +
            (hasOperations && row.clocks.readings ? "  " + row.clocks.multiprocessorText() + " MHz" : "") +
            (row.remark.empty() ? "" : "  " + row.remark) + "\n";
  }
  return text;
}

static nlohmann::ordered_json jsonOf(const Case &result, const Row &row) {
  nlohmann::ordered_json json = {{"kernel", result.kernel},
                                 {"file", result.file},
                                 {"dimensions", result.dimensions},
                                 {"pdl", result.pdl},
                                 {"contender", row.name},
                                 {"tile", row.tile},
                                 {"is_ceiling", row.isCeiling},
                                 {"is_tensor_ceiling", row.isTensorCeiling},
                                 {"bytes", row.bytes},
                                 {"operations", row.operations},
                                 {"micros", row.timing.median()},
                                 {"micros_best", row.timing.best()},
                                 {"micros_of_rounds", row.timing.micros},
                                 {"spread", row.timing.spread()},
                                 {"gigabytes_per_second", row.gigabytesPerSecond()},
                                 {"teraflops_per_second", row.teraflopsPerSecond()},
                                 {"ratio_to_ceiling", nullptr},
                                 {"ratio_to_tensor_ceiling", nullptr},
                                 {"remark", row.remark},
                                 {"clocks", row.clocks.text()},
                                 {"clock_movement", row.clocks.movement()}};
  if (row.ratio) json["ratio_to_ceiling"] = *row.ratio;
  if (row.tensorRatio) json["ratio_to_tensor_ceiling"] = *row.tensorRatio;
  return json;
}

std::string reportJson(const Report &report) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Case &result : report.cases)
    for (const Row &row : result.rows)
      rows.push_back(jsonOf(result, row));
  return nlohmann::ordered_json{{"device", report.device},
                                {"model", report.model},
                                {"driver", report.driverVersion},
                                {"mxc", report.version},
                                {"results", rows}}
             .dump(1) +
         "\n";
}

std::string reportCsv(const Report &report) {
  std::string text = "device,kernel,shape,pdl,contender,is_ceiling,is_tensor_ceiling,micros,spread,bytes,"
                     "operations,gigabytes_per_second,"
                     "teraflops_per_second,ratio_to_ceiling,ratio_to_tensor_ceiling,remark\n";
  for (const Case &result : report.cases)
    for (const Row &row : result.rows)
      text += quotedCell(report.model) + "," + quotedCell(result.kernel) + "," + quotedCell(result.shape) +
              "," + formatted("%d,", result.pdl) + quotedCell(row.name) +
              formatted(",%d,%d,%.4f,%.5f,%.0f,%.0f,%.1f,%.2f,", row.isCeiling, row.isTensorCeiling,
                        row.timing.median(), row.timing.spread(), row.bytes, row.operations,
                        row.gigabytesPerSecond(), row.teraflopsPerSecond()) +
              (row.ratio ? formatted("%.5f", *row.ratio) : "") + "," +
              (row.tensorRatio ? formatted("%.5f", *row.tensorRatio) : "") + "," + quotedCell(row.remark) +
              "\n";
  return text;
}

} // namespace mxc::bench
