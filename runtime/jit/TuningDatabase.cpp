#include "runtime/jit/TuningDatabase.h"

#include "compiler/CompilerIdentity.h"
#include "runtime/device/Environment.h"
#include "runtime/jit/CacheFolder.h"
#include "runtime/jit/ContentHash.h"
#include "runtime/jit/Sqlite.h"
#include "runtime/jit/UserFolder.h"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace mxc {

using Connection = SqliteConnection;

// A reader goes on without choices rather than waiting for a writer that was stopped.
static constexpr std::chrono::milliseconds kReadPatience(1000), kWritePatience(30'000);

TuningKey tuningKey(const std::string &kernelText, const Device &device) {
  return {hexadecimal(contentHash({kernelText})), device.model(), device.limits().multiprocessors};
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

static bool hasTable(Connection &connection) {
  std::string columns;
  connection.run("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'choices'", {},
                 [&](const Connection::Row &row) { columns = row.text(0); });
  if (!columns.empty() && columns != kTable) throw SqliteFailure::damage("the table has other columns");
  return !columns.empty();
}

static TuningDatabase::Rows readRows(const std::string &file, const std::string &where,
                                     const TuningKey *key) {
  TuningDatabase::Rows result;
  Connection connection(file, Connection::Access::Read, kReadPatience);
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

TuningDatabase::Rows TuningDatabase::select(const std::string &where, const TuningKey *key) const {
  for (bool isSecond : {false, true}) {
    if (access(file_.c_str(), F_OK) != 0) return {}; // nobody has tuned
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

static void requireWhole(Connection &connection) {
  std::string verdict;
  connection.run("PRAGMA integrity_check(1)", {},
                 [&](const Connection::Row &row) { verdict += row.text(0); });
  if (verdict != "ok") throw SqliteFailure::damage(verdict);
  hasTable(connection); // as it should be, or not yet
}

static void write(const std::string &file, std::span<const TunedRow> rows) {
  Connection connection(file, Connection::Access::Write, kWritePatience);
  connection.run("BEGIN IMMEDIATE"); // an exception closes the connection, which rolls back
  requireWhole(connection);          // pages that are damaged but well formed take a row and lose it
  if (!hasTable(connection)) connection.run(kTable);
  for (const TunedRow &row : rows) {
    const TunedChoice &c = row.choice;
    connection.run("INSERT OR REPLACE INTO choices (" + kColumns + ") VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
                   {row.key.kernel, row.key.device, static_cast<int64_t>(row.key.multiprocessors),
                    c.bucket.text(), c.build, c.assembler, c.tile, c.shape, c.measure, c.score, c.seconds,
                    sealOf(row)});
  }
  connection.run("COMMIT");
}

std::string TuningDatabase::store(std::span<const TunedRow> rows) const {
  if (const size_t slash = file_.rfind('/'); slash != file_.npos && slash > 0)
    makeFolder(file_.substr(0, slash));
  std::string told; // of the file that was there
  for (bool isSecond : {false, true}) {
    try {
      write(file_, rows);
      return told;
    } catch (const SqliteFailure &failure) {
      if (!failure.isDamage() || isSecond) return "cannot write " + file_ + ": " + failure.text;
      told = setAside(failure.text);
    }
  }
  return told;
}

static bool isWhole(const std::string &file) {
  try {
    Connection connection(file, Connection::Access::Read, kReadPatience);
    requireWhole(connection);
    return true;
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
