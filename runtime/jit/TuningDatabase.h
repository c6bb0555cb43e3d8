// Keeps what tuning has found: which tile is the fastest for a kernel, on a device, in a bucket of shapes.
#pragma once

#include "runtime/device/Device.h"
#include "runtime/jit/ShapeBucket.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mxc {

/// Says what a choice is for. A device is its model and its number of multiprocessors, as partitions of a
/// chip differ from the whole.
struct TuningKey {
  std::string kernel; // the hash of its text (tuningKey)
  std::string device;
  int multiprocessors = 0;
  bool operator==(const TuningKey &) const = default;
};

std::string tuningKernel(const std::string &kernelText); // TuningKey::kernel
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

/// Returns a short hash of what compiles here: another build's choices may no longer be the best.
std::string tuningBuild();

/// An SQLite file that any number of processes and threads use at once. It is a cheap handle, which keeps
/// nothing open. It survives writers that are killed, full disks and folders that cannot be written. Readers
/// skip a damaged row or file; a writer sets a damaged file aside as FILE.damaged. None of this is an error:
/// messages say what is wrong, and kernels run as the heuristics say.
class TuningDatabase {
public:
  explicit TuningDatabase(std::string file) : file_(std::move(file)) {}

  /// Opens $MXC_TUNING, else tuning-1.sqlite in the user's folder (userFolder); nullopt without a place.
  static std::optional<TuningDatabase> ofUser();

  const std::string &file() const { return file_; }

  struct Choices {
    std::vector<TunedChoice> choices; // the newest first
    std::string problem;              // why there may be more; ""
  };
  Choices choices(const TuningKey &key) const;

  /// Stores all rows or none; a row replaces the one with the same key, bucket, build and assembler. Returns
  /// "cannot write ..", what became of a damaged file, or "". Without rows it says whether some could be
  /// stored.
  std::string store(std::span<const TunedRow> rows) const;

  /// Returns all rows: keys in order, the newest row of each first.
  struct Rows {
    std::vector<TunedRow> rows;
    std::string problem;
  };
  Rows rows() const;

  /// Removes the rows of these kernels (TuningKey::kernel), or all rows. `problem` as store's.
  struct Removed {
    size_t rows = 0;
    std::string problem;
  };
  Removed remove(std::span<const std::string> kernels) const;
  Removed removeAll() const;

private:
  Removed removeWhere(std::span<const std::string> kernels, bool isAll) const;
  Rows select(const std::string &where, const TuningKey *key) const;
  template <typename Change> std::string changed(const Change &change) const;
  std::string setAside(const std::string &why) const; // what was done, as a message
  std::string file_;
};

} // namespace mxc
