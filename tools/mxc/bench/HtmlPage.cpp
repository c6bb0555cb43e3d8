#include "tools/mxc/bench/HtmlPage.h"
#include "tools/mxc/bench/Formatted.h"

#include <algorithm>
#include <cmath>

namespace mxc::bench {

// Blue and orange differ for every kind of colour vision; grey is lighter than the one and darker than the
// other on either ground.
static constexpr const char *kStyle =
    ":root { color-scheme: light dark; --ground: #ffffff; --text: #111827; --faint: #4b5563; --grid: "
    "#e5e7eb; --kernel: #0060a8; --ceiling: #8a919c; --roof: #c2410c; }\n"
    "@media (prefers-color-scheme: dark) { :root { --ground: #111827; --text: #e5e7eb; --faint: #9ca3af; "
    "--grid: #374151; --kernel: #58b4f0; --ceiling: #848b96; --roof: #f59e0b; } }\n"
    "body { font: 15px/1.45 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: "
    "var(--text); background: var(--ground); }\n"
    "svg { width: 100%; height: auto; font: 13px system-ui, sans-serif; fill: var(--text); }\n"
    "small { color: var(--faint); }\n.grid { stroke: var(--grid); }\n"
    ".kernel { fill: var(--kernel); stroke: var(--kernel); }\n"
    ".unsure { fill: transparent; stroke: var(--kernel); stroke-dasharray: 3 2; }\n"
    ".ceiling { fill: var(--ceiling); stroke: var(--ceiling); }\n"
    ".roof { fill: none; stroke: var(--roof); stroke-width: 2; }\n";

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

std::string htmlPage(const std::string &title, const std::string &body) {
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width\"><title>" +
         escaped(title) + "</title>\n<style>\n" + kStyle + "</style></head><body>\n<h1>" + escaped(title) +
         "</h1>\n" + body + "</body></html>\n";
}

namespace {

constexpr int kWidth = 900; // of a drawing, in pixels

const char *classOf(Mark mark) {
  switch (mark) {
  case Mark::Kernel:
    return "kernel";
  case Mark::Unsure:
    return "unsure";
  case Mark::Ceiling:
    return "ceiling";
  }
  return "";
}

std::string label(double x, double y, const std::string &text, const char *anchor = "start") {
  return formatted("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor) + escaped(text) +
         "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2, const char *style) {
  return formatted("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n", x1, y1, x2, y2,
                   style);
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
  /// Powers of ten so far apart that their labels are not nearer than `distance` pixels.
  double step(double distance) const {
    return std::max(1.0, std::ceil(distance / std::fabs(to - from) * (high - low)));
  }
};

std::string circle(double x, double y, Mark mark, const std::string &title) {
  return formatted("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" class=\"%s\"><title>", x, y, classOf(mark)) +
         escaped(title) + "</title></circle>\n";
}

} // namespace

std::string barsSvg(const std::vector<std::string> &heads, const std::vector<Bar> &bars,
                    std::optional<double> mark) {
  constexpr double kLeft = 300, kCell = 82, kStep = 24;
  constexpr size_t kMostLetters = 38; // of a name
  const double right = kWidth - kCell * double(heads.size() - 1), room = right - kLeft - 10;
  double most = mark.value_or(0);
  for (const Bar &bar : bars)
    most = std::max(most, bar.value);
  const double height = kStep * double(bars.size() + 1);
  std::string svg = formatted("<svg viewBox=\"0 0 %d %.0f\" role=\"img\">\n", kWidth, height + 8);
  svg += label(kLeft, 15, heads.front());
  for (size_t i = 1; i < heads.size(); ++i)
    svg += label(right + kCell * double(i), 15, heads[i], "end");
  double y = kStep;
  for (const Bar &bar : bars) {
    const std::string shown =
        bar.name.size() > kMostLetters ? bar.name.substr(0, kMostLetters - 2) + ".." : bar.name;
    svg += label(kLeft - 8, y + 15, shown, "end");
    if (bar.value > 0)
      svg += formatted("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"18\" class=\"%s\"><title>", kLeft,
                       y, bar.value / most * room, classOf(bar.mark)) +
             escaped(bar.title) + "</title></rect>\n";
    for (size_t i = 0; i < bar.cells.size(); ++i)
      svg += label(right + kCell * double(i + 1), y + 15, bar.cells[i], "end");
    y += kStep;
  }
  if (mark && most > 0)
    svg += line(kLeft + *mark / most * room, kStep - 2, kLeft + *mark / most * room, height, "roof");
  return svg + "</svg>\n";
}

std::string scatterSvg(const std::vector<Point> &points, const std::vector<std::pair<double, double>> &roof,
                       const std::string &xTitle, const std::string &yTitle, const std::string &roofText) {
  constexpr double kLeft = 80, kRight = kWidth - 30, kTop = 24, kBottom = 340, kLegend = 412;
  std::vector<double> xs, ys;
  for (const Point &point : points)
    xs.push_back(point.x), ys.push_back(point.y);
  for (auto [x, y] : roof)
    xs.push_back(x), ys.push_back(y);
  const Axis x(xs, kLeft, kRight), y(ys, kBottom, kTop);
  std::string svg = formatted("<svg viewBox=\"0 0 %d 420\" role=\"img\">\n", kWidth);
  for (double power = x.low; power <= x.high; power += x.step(60)) {
    const double at = x.at(std::pow(10, power));
    svg += line(at, kTop, at, kBottom, "grid") +
           label(at, kBottom + 18, formatted("%g", std::pow(10, power)), "middle");
  }
  for (double power = y.low; power <= y.high; power += y.step(20)) {
    const double at = y.at(std::pow(10, power));
    svg += line(kLeft, at, kRight, at, "grid") +
           label(kLeft - 8, at + 4, formatted("%g", std::pow(10, power)), "end");
  }
  std::string path;
  for (auto [px, py] : roof)
    path += formatted("%s%.1f %.1f ", path.empty() ? "M" : "L", x.at(px), y.at(py));
  if (!path.empty()) svg += "<path d=\"" + path + "\" class=\"roof\"/>\n";
  for (const Point &point : points)
    svg += circle(x.at(point.x), y.at(point.y), point.mark, point.title);
  svg += label((kLeft + kRight) / 2, 382, xTitle, "middle") + label(kLeft, 13, yTitle);
  svg +=
      formatted("<rect x=\"80\" y=\"%.0f\" width=\"10\" height=\"10\" class=\"kernel\"/>\n", kLegend - 10) +
      label(96, kLegend, "kernels") +
      formatted("<rect x=\"180\" y=\"%.0f\" width=\"10\" height=\"10\" class=\"unsure\"/>\n", kLegend - 10) +
      label(196, kLegend, "times or clocks that scatter") + line(400, kLegend - 5, 420, kLegend - 5, "roof") +
      label(426, kLegend, roofText);
  return svg + "</svg>\n";
}

} // namespace mxc::bench
