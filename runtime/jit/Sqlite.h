// A connection to an SQLite file, with what the tuning database needs.
#pragma once

#include "runtime/files/NoFileSizeSignal.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace mxc {

/// An error of SQLite: its primary result code and its text.
struct SqliteFailure {
  int code;
  std::string text;

  static SqliteFailure damage(const std::string &text);
  /// The file is no database, or a broken one: everything but what disks, rights and other processes do. The
  /// statements that mxc runs never fail on a sound database.
  bool isDamage() const;
  bool isReadOnly() const; // it may only be read: by the file's rights, or by what is written in it
};

/// A connection is for one thread, and for no fork. Every function throws SqliteFailure.
class SqliteConnection {
public:
  enum class Access { Read, Write }; // Write makes the file where it is missing
  /// Each statement waits at most so long for another connection's lock.
  SqliteConnection(const std::string &file, Access access, std::chrono::milliseconds patience);
  ~SqliteConnection();
  SqliteConnection(const SqliteConnection &) = delete;
  SqliteConnection &operator=(const SqliteConnection &) = delete;

  using Value = std::variant<int64_t, double, std::string>;
  class Row {
  public:
    std::string text(int column) const;
    int64_t integer(int column) const;
    double real(int column) const;

  private:
    friend class SqliteConnection;
    explicit Row(sqlite3_stmt *statement) : statement_(statement) {}
    sqlite3_stmt *statement_;
  };
  /// Runs one statement with `values` for its question marks.
  void run(const std::string &statement, const std::vector<Value> &values = {},
           const std::function<void(const Row &)> &visit = {});
  size_t changes() const; // rows that the last statement changed

private:
  [[noreturn]] void fail(int code) const;
  NoFileSizeSignal noSignal_; // it writes files as writeAll does
  sqlite3 *connection_ = nullptr;
};

} // namespace mxc
