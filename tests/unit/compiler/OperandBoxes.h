// Rows of the table of a stage's boxes, in plain C++.
#pragma once

#include <cstdint>
#include <string>

struct BoxRow {
  std::string type;             // of the argument, a memref's
  std::string content = "rows"; // "rows", "padded", "tiles", "lines"
  int rows, step, copies = 1;
  bool toBoth = false;
};

struct BoxBytes {
  int64_t copied, pitch, region;
  bool operator==(const BoxBytes &) const = default;
};

BoxBytes bytesOf(const BoxRow &row);
