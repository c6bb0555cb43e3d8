// The kernels of tests/simulator with what their first lines say: // LAUNCH:, // IN:, // OUT: (Inputs/run-ptx
// explains them; here only 32-bit values).
#pragma once

#include "tests/unit/simulator/RunPtx.h"

#include <fstream>
#include <iterator>
#include <sstream>

struct PtxFile {
  std::string text;
  PtxRun how;
  std::vector<std::byte> input, output;

  explicit PtxFile(const std::string &name) {
    std::ifstream file(std::string(MXC_PTX_TESTS) + "/" + name);
    text.assign(std::istreambuf_iterator<char>(file), {});
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string slashes, kind, word;
      words >> slashes >> kind;
      if (slashes == ".target") how.target = kind;
      if (slashes != "//") continue;
      if (kind == "LAUNCH:")
        while (words >> word)
          setLaunch(word.substr(0, word.find('=')), uint32_t(std::stoul(word.substr(word.find('=') + 1))));
      if (kind == "IN:" || kind == "OUT:") appendWords(words, kind == "IN:" ? input : output);
    }
    if (how.target == "sm_90") how.target = "sm_90a"; // the chip
  }

  PtxOutcome run(const std::string &ptx) const { return runPtxBytes(ptx, input, output.size(), how); }

private:
  void setLaunch(const std::string &name, uint32_t value) {
    if (name == "grid") how.grid = {value, 1, 1};
    if (name == "block") how.block = {value, 1, 1};
    if (name == "cluster") how.cluster = {value, 1, 1};
    if (name == "shared") how.dynamicSharedBytes = value;
  }

  static void appendWords(std::istream &words, std::vector<std::byte> &to) {
    std::string type, word;
    words >> type;
    while (words >> word) {
      size_t star = word.find('*');
      float number = type == "f32" ? std::stof(word) : 0;
      uint32_t bits =
          type == "f32" ? __builtin_bit_cast(uint32_t, number) : uint32_t(std::stoul(word, nullptr, 0));
      const auto *bytes = reinterpret_cast<const std::byte *>(&bits);
      for (unsigned long i = star == std::string::npos ? 1 : std::stoul(word.substr(star + 1)); i; --i)
        to.insert(to.end(), bytes, bytes + 4);
    }
  }
};
