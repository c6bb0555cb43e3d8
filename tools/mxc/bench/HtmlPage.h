// Pages that need nothing else: their frame, and bars and points as SVG. Colours are names of the page's
// style sheet, which has them for light and for dark screens; none is told by its colour alone.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mxc::bench {

std::string escaped(const std::string &text);
std::string htmlPage(const std::string &title, const std::string &body);

/// How a bar or a point looks: filled or only outlined, in a colour.
enum class Mark { Kernel, Unsure, Ceiling };

/// A line of a table whose first column is a bar.
struct Bar {
  std::string name, title; // title: what is shown where the mouse rests
  Mark mark = Mark::Kernel;
  double value = 0; // its length; not above 0: no bar
  std::vector<std::string> cells;
};

/// Bars from zero, each between its name and its cells, under `heads`, one of the bars and one a cell.
/// `mark`: a line at this value through the bars.
std::string barsSvg(const std::vector<std::string> &heads, const std::vector<Bar> &bars,
                    std::optional<double> mark = {});

struct Point {
  double x, y;
  std::string title;
  Mark mark;
};

/// Points under a roof, both axes logarithmic, and what the marks mean. `roofText` says what the roof is.
std::string scatterSvg(const std::vector<Point> &points, const std::vector<std::pair<double, double>> &roof,
                       const std::string &xTitle, const std::string &yTitle, const std::string &roofText);

} // namespace mxc::bench
