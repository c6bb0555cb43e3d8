#include "tests/unit/bench/SampleCase.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>

using namespace mxc;
using namespace mxc::bench;

static Report sampleReport() {
  Report report{"cuda:0", "NVIDIA H200", "0.1.0", 13000};
  report.cases = {sampleCase()};
  setRatios(report.cases.front());
  return report;
}

TEST_CASE("bench: a table's lines", "[bench]") {
  CHECK(headText(sampleReport()) == "NVIDIA H200 (cuda:0), driver 13.0, mxc 0.1.0\n");
  const std::string text = caseText(sampleReport().cases.front());
  CHECK_THAT(text, Catch::Contains("quantize (q.mlir), M = 64, K = 32: 3.0 MB a launch"));
  CHECK_THAT(text, Catch::Contains("clocks 1980 MHz, memory 3201 MHz"));
  CHECK_THAT(text, Catch::Contains("warps = 4       1.00     2997      0.931   0.10 %"));
  CHECK_THAT(text, !Catch::Contains("TFLOP/s"));
}

TEST_CASE("bench: rates of products", "[bench]") {
  Report report = sampleReport();
  report.cases[0].rows[0].operations = 2e9;
  CHECK_THAT(caseText(report.cases[0]), Catch::Contains("TFLOP/s"));
  CHECK_THAT(caseText(report.cases[0]), Catch::Contains("     2997     1998"));
  CHECK_THAT(reportHtml(report), Catch::Contains("<h2>Products</h2>"));
}

TEST_CASE("bench: tensor cores are the flat roof, and no point of memory's", "[bench]") {
  Report report = sampleReport();
  report.cases[0].rows[0].operations = 2e9;
  CHECK_THAT(reportHtml(report), Catch::Contains("the fastest product of this run"));
  report.cases[0].rows.push_back(
      {.name = "tensor cores", .tile = "", .isTensorCeiling = true, .operations = 8e9, .timing = {{3.0}}});
  const std::string html = reportHtml(report);
  CHECK_THAT(html, Catch::Contains("that of a kernel that only multiplies"));
  CHECK_THAT(html, !Catch::Contains("nan") && !Catch::Contains("inf"));
  CHECK_THAT(html, Catch::Contains(">2667<"));
  const nlohmann::json last = nlohmann::json::parse(reportJson(report))["results"].back();
  CHECK((last["is_tensor_ceiling"] == true && last["ratio_to_tensor_ceiling"].is_null()));
}

TEST_CASE("bench: JSON says everything, and null where there is no ratio", "[bench]") {
  Report report = sampleReport();
  report.cases[0].rows[0].ratio.reset();
  const nlohmann::json json = nlohmann::json::parse(reportJson(report));
  REQUIRE(json["results"].size() == 3);
  CHECK(json["model"] == "NVIDIA H200");
  CHECK(json["results"][0]["ratio_to_ceiling"].is_null());
  CHECK(json["results"][2]["ratio_to_ceiling"] == 1.0);
  CHECK(json["results"][0]["dimensions"]["M"] == 64);
  CHECK(json["results"][0]["micros_of_rounds"].size() == 3);
}

TEST_CASE("bench: a CSV's cells", "[bench]") {
  const std::string text = reportCsv(sampleReport());
  CHECK(std::ranges::count(text, '\n') == 4);
  CHECK_THAT(text, Catch::Contains(
                       "\"NVIDIA H200\",\"quantize\",\"M = 64, K = 32\",0,\"slow <\"\"&>\",0,0,2.0010,"));
}

TEST_CASE("bench: a page that needs nothing else, with names as text", "[bench]") {
  const std::string html = reportHtml(sampleReport());
  CHECK_THAT(html, Catch::StartsWith("<!doctype html>") && Catch::EndsWith("</html>\n"));
  CHECK_THAT(html, Catch::Contains("slow &lt;&quot;&amp;>"));
  CHECK_THAT(html, !Catch::Contains("slow <") && !Catch::Contains("src=") && !Catch::Contains("href="));
  CHECK_THAT(html, !Catch::Contains("nan") && !Catch::Contains("inf"));
  size_t circles = 0;
  for (size_t at = html.find("<circle"); at != html.npos; at = html.find("<circle", at + 1))
    ++circles;
  CHECK(circles == 2); // the candidates; their ceiling is the roof
  CHECK_THAT(html, Catch::Contains(">us<") && Catch::Contains(">1.00<") &&
                       Catch::Contains("warps = 4: 1.00 us, 2997 GB/s"));
}
