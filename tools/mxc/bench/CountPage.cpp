// Counts as CSV and as a page.
#include "tools/mxc/bench/BenchCounts.h"
#include "tools/mxc/bench/Formatted.h"
#include "tools/mxc/bench/HtmlPage.h"

namespace mxc::bench {

std::string countCsv(const std::string &device, const std::vector<CountCase> &cases) {
  std::string text = "device,kernel,shape,contender,instructions_per_element,bytes_read,bytes_read_needed,"
                     "bytes_written,bytes_written_needed,bank_conflicts\n";
  for (const CountCase &result : cases)
    for (const CountRow &row : result.rows)
      text += quotedCell(device) + "," + quotedCell(result.kernel) + "," + quotedCell(result.shape) + "," +
              quotedCell(row.name) +
              formatted(",%.4f,%.0f,%.0f,%.0f,%.0f,%llu\n", instructionsPerElement(result, row),
                        bytesRead(row), result.bytesRead, bytesWritten(row), result.bytesWritten,
                        static_cast<unsigned long long>(bankConflicts(row)));
  return text;
}

std::string countHtml(const std::string &device, const std::string &model,
                      const std::vector<CountCase> &cases) {
  std::string body = "<p>" + escaped(model) + " (" + escaped(device) +
                     ") has no times: these are counts of one launch. Read and written: bytes moved for each "
                     "byte that must be.</p>\n";
  for (const CountCase &result : cases) {
    std::vector<Bar> bars;
    for (const CountRow &row : result.rows) {
      const double instructions = instructionsPerElement(result, row);
      bars.push_back(
          {row.name,
           row.tile,
           Mark::Kernel,
           instructions,
           {formatted("%.2f", instructions),
            result.bytesRead > 0 ? formatted("%.3f", bytesRead(row) / result.bytesRead) : "-",
            result.bytesWritten > 0 ? formatted("%.3f", bytesWritten(row) / result.bytesWritten) : "-",
            formatted("%llu", static_cast<unsigned long long>(bankConflicts(row)))}});
    }
    body += "<h2>" + escaped(result.kernel) + ", " + escaped(result.shape) + "</h2>\n" +
            barsSvg({"instructions an element", "", "read", "written", "conflicts"}, bars) + "<small>" +
            escaped(result.file) + "</small>\n";
  }
  return htmlPage("mxc bench", body);
}

} // namespace mxc::bench
