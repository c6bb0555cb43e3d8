// What a tuning in another process came to, by way of a file.
#pragma once

#include "runtime/tune/Tuner.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

struct ToldTuning {
  size_t chosen = 0;                 // the number of the candidate
  std::vector<std::string> refusals; // of each, the first line

  /// For the last shape.
  static void write(const std::string &file, const mxc::tune::Tuning &tuning) {
    std::ofstream stream(file);
    const std::vector<mxc::tune::Trial> &trials = tuning.shapes.back().trials;
    stream << std::ranges::find_if(trials, &mxc::tune::Trial::isChosen) - trials.begin() << "\n";
    for (const mxc::tune::Trial &trial : trials)
      stream << trial.refusal.substr(0, trial.refusal.find('\n')) << "\n";
  }

  explicit ToldTuning(const std::string &file) {
    std::ifstream stream(file);
    stream >> chosen;
    stream.ignore();
    for (std::string line; std::getline(stream, line);)
      refusals.push_back(line);
  }
};
