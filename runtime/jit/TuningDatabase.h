// What tuning found: which tile is the fastest for a kernel, on a device, in a bucket of shapes.
#pragma once

#include "runtime/device/Device.h"
#include "runtime/jit/ShapeBucket.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mxc {

/// Whose choice it is. A device is its model and how many multiprocessors it has: parts of one differ from
/// it.
struct TuningKey {
  std::string kernel; // the hash of its text (tuningKey)
  std::string device;
  int multiprocessors = 0;
  bool operator==(const TuningKey &) const = default;
};

TuningKey tuningKey(const std::string &kernelText, const Device &device);

struct TunedChoice {
  ShapeBucket bucket;
  std::string build;     // of mxc and its compiler (tuningBuild)
  std::string assembler; // "nvjitlink", "ptxas", or "auto" where none was at work
  std::string tile;      // without a condition; "": the kernel has none to choose
  std::string shape;     // what was measured: "K = 7168, M = 1000"
  std::string measure;   // "microseconds" of a launch, or a simulator's "counts"
  double score = 0;      // by that measure; less is better
  int64_t seconds = 0;   // when, since 1970
};

struct TunedRow {
  TuningKey key;
  TunedChoice choice;
};

/// What compiles here, as a short hash: choices of another build may have lost since.
std::string tuningBuild();

/// An SQLite file that any number of processes and threads use at once; a cheap handle, nothing stays open.
/// It survives writers that are killed, full disks and folders that cannot be written. A damaged row is
/// passed over, and a damaged file too; who writes sets the file aside as FILE.damaged. Nothing about it is
/// an error: what is wrong is told, and kernels are launched as their heuristics say.
class TuningDatabase {
public:
  explicit TuningDatabase(std::string file) : file_(std::move(file)) {}

  /// $MXC_TUNING, else tuning-1.sqlite in the user's folder (userFolder); nothing without a place.
  static std::optional<TuningDatabase> ofUser();

  const std::string &file() const { return file_; }

  struct Choices {
    std::vector<TunedChoice> choices; // the newest first
    std::string problem;              // why there may be more; ""
  };
  Choices choices(const TuningKey &key) const;

  /// A row replaces the one of the same key, bucket, build and assembler; all rows or none are written.
  /// Returns "cannot write ..", what became of a damaged file, or "". Without rows: whether some could be.
  std::string store(std::span<const TunedRow> rows) const;

  /// All rows: keys in order, the newest first.
  struct Rows {
    std::vector<TunedRow> rows;
    std::string problem;
  };
  Rows rows() const;

private:
  Rows select(const std::string &where, const TuningKey *key) const;
  std::string setAside(const std::string &why) const; // what was done, as a message
  std::string file_;
};

} // namespace mxc
