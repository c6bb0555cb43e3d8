#include "runtime/jit/TuningDatabase.h"

#include "compiler/CompilerIdentity.h"
#include "runtime/environment/Environment.h"
#include "runtime/jit/CacheFolder.h"
#include "runtime/jit/ContentHash.h"
#include "runtime/jit/Sqlite.h"
#include "runtime/jit/UserFolder.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace mxc {

using Connection = SqliteConnection;

// A reader goes on without choices rather than waiting for a writer that was stopped.
static constexpr std::chrono::milliseconds kReadPatience(1000), kWritePatience(30'000);

std::string tuningKernel(const std::string &kernelText) { return hexadecimal(contentHash({kernelText})); }

TuningKey tuningKey(const std::string &kernelText, const Device &device) {
  return {tuningKernel(kernelText), device.model(), device.limits().multiprocessors};
}

std::string tuningBuild() {
  static const std::string build =
      hexadecimal(contentHash({compilerIdentity(Stage::Ptx, Assembler::Auto)})).substr(0, 16);
  return build;
}

std::optional<TuningDatabase> TuningDatabase::ofUser() {
  if (std::optional<std::string> file = environment(EnvironmentVariable::Tuning))
    return TuningDatabase(*file);
  const std::optional<std::string> folder = userFolder();
  if (!folder) return std::nullopt;
  return TuningDatabase(*folder + "/tuning-1.sqlite"); // 1: of the table's columns
}

/// Writes a number as printf's %a does, in every locale.
static std::string hexadecimalFloat(double value) {
  char digits[32];
  const auto end = std::to_chars(digits, std::end(digits), std::fabs(value), std::chars_format::hex).ptr;
  return (std::signbit(value) ? "-0x" : "0x") + std::string(digits, end);
}

/// A hash of everything in a row shows damage that SQLite does not see.
static std::string sealOf(const TunedRow &row) {
  const TunedChoice &c = row.choice;
  return hexadecimal(contentHash({row.key.kernel, row.key.device, std::to_string(row.key.multiprocessors),
                                  c.bucket.text(), c.build, c.assembler, c.tile, c.shape, c.measure,
                                  hexadecimalFloat(c.score), std::to_string(c.seconds)}))
      .substr(0, 16);
}

static const std::string kTable =
    "CREATE TABLE choices (kernel TEXT NOT NULL, device TEXT NOT NULL, multiprocessors INTEGER "
    "NOT NULL, bucket TEXT NOT NULL, build TEXT NOT NULL, assembler TEXT NOT NULL, tile TEXT NOT NULL, shape "
    "TEXT NOT NULL, measure TEXT NOT NULL, score REAL NOT NULL, seconds INTEGER NOT NULL, seal TEXT NOT "
    "NULL, PRIMARY KEY (kernel, device, multiprocessors, bucket, build, assembler)) "
    "WITHOUT ROWID";
static const std::string kColumns =
    "kernel, device, multiprocessors, bucket, build, assembler, tile, shape, measure, score, seconds, seal";

static std::optional<TunedRow> rowOf(const Connection::Row &in) {
  std::optional<ShapeBucket> bucket = ShapeBucket::parse(in.text(3));
  if (!bucket) return std::nullopt;
  TunedRow row{
      {in.text(0), in.text(1), static_cast<int>(in.integer(2))},
      {*bucket, in.text(4), in.text(5), in.text(6), in.text(7), in.text(8), in.real(9), in.integer(10)}};
  if (sealOf(row) != in.text(11)) return std::nullopt;
  return row;
}

/// A header whose write version is none that there is makes a database that can only be read: SQLite file
/// format, "File format version numbers". It is read after a connection has played back what a killed writer
/// left.
static bool isMadeReadOnly(const std::string &file) {
  constexpr size_t kWriteVersion = 18;
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(file, unknown)) return false; // opening a pipe would wait
  std::array<char, kWriteVersion + 1> head{};
  std::ifstream in(file, std::ios::binary);
  if (!in.read(head.data(), head.size())) return false; // nobody has written yet
  return head[kWriteVersion] != 1 && head[kWriteVersion] != 2;
}

/// Every table of the file must be the one that mxc made. A name or a type that is damaged hides a table,
/// which then can neither be read nor made again.
static bool hasTable(Connection &connection) {
  bool isThere = false;
  connection.run("SELECT type, name, tbl_name, sql FROM sqlite_master", {}, [&](const Connection::Row &row) {
    if (row.text(0) == "trigger" || row.text(0) == "view") return; // somebody else's
    if (row.text(0) != "table" || row.text(1) != "choices" || row.text(2) != "choices" ||
        row.text(3) != kTable)
      throw SqliteFailure::damage("the table has other columns");
    isThere = true;
  });
  return isThere;
}

static void requireWhole(Connection &connection) {
  std::string verdict;
  connection.run("PRAGMA integrity_check(1)", {},
                 [&](const Connection::Row &row) { verdict += row.text(0); });
  if (verdict != "ok") throw SqliteFailure::damage(verdict);
}

static TuningDatabase::Rows readRows(const std::string &file, const std::string &where,
                                     const TuningKey *key) {
  TuningDatabase::Rows result;
  Connection connection(file, Connection::Access::Read, kReadPatience);
  requireWhole(connection);                 // a damaged page hides rows, or the table
  if (!hasTable(connection)) return result; // its writer was killed before it wrote
  std::vector<Connection::Value> values;
  if (key) values = {key->kernel, key->device, static_cast<int64_t>(key->multiprocessors)};
  size_t damaged = 0;
  connection.run("SELECT " + kColumns + " FROM choices " + where, values, [&](const Connection::Row &in) {
    if (std::optional<TunedRow> row = rowOf(in))
      result.rows.push_back(std::move(*row));
    else
      ++damaged;
  });
  if (damaged)
    result.problem =
        file + ": " + std::to_string(damaged) + (damaged == 1 ? " row is" : " rows are") + " damaged";
  return result;
}

static bool isAbsence(int error) { return error == ENOENT || error == ENOTDIR; }

/// A device or a folder in the file's place: SQLite would leave a journal beside it.
static std::string whyNoFile(const std::string &file) {
  struct stat status;
  if (stat(file.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return "";
  return file + ": it is no regular file";
}

TuningDatabase::Rows TuningDatabase::select(const std::string &where, const TuningKey *key) const {
  for (bool isSecond : {false, true}) {
    struct stat status;
    if (stat(file_.c_str(), &status) != 0) {
      if (isAbsence(errno)) return {}; // nobody has tuned
      return {{}, "cannot read " + file_ + ": " + std::strerror(errno)};
    }
    if (S_ISCHR(status.st_mode)) return {}; // /dev/null
    if (const std::string why = whyNoFile(file_); !why.empty()) return {{}, "cannot read " + why};
    try {
      return readRows(file_, where, key);
    } catch (const SqliteFailure &failure) {
      if (!failure.isDamage()) return {{}, "cannot read " + file_ + ": " + failure.text};
      // Only the first time: another process may have set the file aside and written a new one since.
      if (isSecond)
        return {{}, file_ + " is damaged (" + failure.text + "): nothing is taken from it; tune again"};
    }
  }
  return {};
}

TuningDatabase::Choices TuningDatabase::choices(const TuningKey &key) const {
  Rows rows =
      select("WHERE kernel = ? AND device = ? AND multiprocessors = ? ORDER BY seconds DESC, bucket", &key);
  Choices result{{}, std::move(rows.problem)};
  for (TunedRow &row : rows.rows)
    result.choices.push_back(std::move(row.choice));
  return result;
}

TuningDatabase::Rows TuningDatabase::rows() const {
  return select("ORDER BY kernel, device, multiprocessors, seconds DESC, bucket", nullptr);
}

/// Rows whose seal is broken: nothing is taken from them, and nothing replaces them where their key is what
/// was damaged. Returns how many.
static size_t removeDamaged(Connection &connection) {
  std::vector<std::vector<Connection::Value>> keys;
  connection.run("SELECT " + kColumns + " FROM choices", {}, [&](const Connection::Row &in) {
    if (!rowOf(in))
      keys.push_back({in.text(0), in.text(1), in.integer(2), in.text(3), in.text(4), in.text(5)});
  });
  for (const std::vector<Connection::Value> &key : keys)
    connection.run(
        "DELETE FROM choices WHERE kernel = ? AND device = ? AND multiprocessors = ? AND bucket = ? "
        "AND build = ? AND assembler = ?",
        key);
  return keys.size();
}

/// Opens the file for one change, which `change` makes of a database that is sound and has its table.
template <typename Change> static void write(const std::string &file, const Change &change) {
  Connection connection(file, Connection::Access::Write, kWritePatience);
  try {
    connection.run("BEGIN IMMEDIATE"); // an exception closes the connection, which rolls back
  } catch (const SqliteFailure &failure) {
    if (failure.isReadOnly() && isMadeReadOnly(file))
      throw SqliteFailure::damage("its header says that it can only be read");
    throw;
  }
  requireWhole(connection); // pages that are damaged but well formed take a row and lose it
  if (!hasTable(connection)) connection.run(kTable);
  change(connection);
  connection.run("COMMIT");
}

static void insert(Connection &connection, std::span<const TunedRow> rows) {
  for (const TunedRow &row : rows) {
    const TunedChoice &c = row.choice;
    connection.run("INSERT OR REPLACE INTO choices (" + kColumns + ") VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
                   {row.key.kernel, row.key.device, static_cast<int64_t>(row.key.multiprocessors),
                    c.bucket.text(), c.build, c.assembler, c.tile, c.shape, c.measure, c.score, c.seconds,
                    sealOf(row)});
  }
}

/// Makes `change` in the file; sets a damaged one aside and makes it in a new one. Returns "cannot write ..",
/// what became of a damaged file, or "".
template <typename Change> std::string TuningDatabase::changed(const Change &change) const {
  if (const size_t slash = file_.rfind('/'); slash != file_.npos && slash > 0)
    makeFolder(file_.substr(0, slash));
  if (const std::string why = whyNoFile(file_); !why.empty()) return "cannot write " + why;
  std::string told; // of the file that was there
  for (bool isSecond : {false, true}) {
    try {
      write(file_, change);
      return told;
    } catch (const SqliteFailure &failure) {
      if (!failure.isDamage() || isSecond) return "cannot write " + file_ + ": " + failure.text;
      told = setAside(failure.text);
    }
  }
  return told;
}

std::string TuningDatabase::store(std::span<const TunedRow> rows) const {
  size_t damaged = 0;
  const std::string told = changed([&](Connection &connection) {
    damaged = removeDamaged(connection);
    insert(connection, rows);
  });
  if (!told.empty() || !damaged) return told;
  return file_ + " had " + std::to_string(damaged) +
         (damaged == 1 ? " damaged row, which is removed" : " damaged rows, which are removed") +
         ": tune again";
}

TuningDatabase::Removed TuningDatabase::removeWhere(std::span<const std::string> kernels, bool isAll) const {
  Removed removed;
  if (access(file_.c_str(), F_OK) != 0 && isAbsence(errno)) return removed; // nobody has tuned
  removed.problem = changed([&](Connection &connection) {
    removed.rows = 0;
    if (isAll) {
      connection.run("DELETE FROM choices WHERE 1"); // with a condition rows are counted
      removed.rows = connection.changes();
    }
    for (const std::string &kernel : kernels) {
      connection.run("DELETE FROM choices WHERE kernel = ?", {kernel});
      removed.rows += connection.changes();
    }
  });
  return removed;
}
TuningDatabase::Removed TuningDatabase::remove(std::span<const std::string> kernels) const {
  return removeWhere(kernels, false);
}
TuningDatabase::Removed TuningDatabase::removeAll() const { return removeWhere({}, true); }

static bool isWhole(const std::string &file) {
  try {
    Connection connection(file, Connection::Access::Read, kReadPatience);
    requireWhole(connection);
    hasTable(connection); // as it should be, or not yet
    return !isMadeReadOnly(file);
  } catch (const SqliteFailure &failure) {
    return !failure.isDamage(); // gone, or locked: another process deals with it
  }
}

/// One process does it, after another look: another may have done it and written a new file since.
std::string TuningDatabase::setAside(const std::string &why) const {
  const size_t slash = file_.rfind('/');
  const CacheFolder folder(slash == file_.npos ? "." : file_.substr(0, slash));
  const CacheFolder::Lock lock(folder, 0, kWritePatience);
  if (isWhole(file_)) return "";
  const std::string aside = file_ + ".damaged";
  // The journal first: it must not be played back into the next file of this name.
  std::rename((file_ + "-journal").c_str(), (aside + "-journal").c_str());
  if (std::rename(file_.c_str(), aside.c_str()) != 0)
    return file_ + " is damaged (" + why + ") and cannot be set aside: " + std::strerror(errno);
  return file_ + " was damaged (" + why + "): set aside as " + aside + ", tune again";
}

} // namespace mxc
