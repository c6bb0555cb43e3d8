#include "runtime/jit/Sqlite.h"

#include <algorithm>
#include <memory>
#include <sqlite3.h>

namespace mxc {

bool SqliteFailure::isDamage() const {
  constexpr int kOfTheWorld[] = {SQLITE_PERM,  SQLITE_ABORT,    SQLITE_BUSY,      SQLITE_LOCKED,
                                 SQLITE_NOMEM, SQLITE_READONLY, SQLITE_INTERRUPT, SQLITE_IOERR,
                                 SQLITE_FULL,  SQLITE_CANTOPEN, SQLITE_PROTOCOL,  SQLITE_CONSTRAINT,
                                 SQLITE_NOLFS, SQLITE_AUTH};
  return std::ranges::find(kOfTheWorld, code) == std::end(kOfTheWorld);
}

bool SqliteFailure::isReadOnly() const { return code == SQLITE_READONLY; }

SqliteFailure SqliteFailure::damage(const std::string &text) { return {SQLITE_CORRUPT, text}; }

void SqliteConnection::fail(int code) const {
  throw SqliteFailure{code & 0xff, connection_ ? sqlite3_errmsg(connection_) : sqlite3_errstr(code)};
}

SqliteConnection::SqliteConnection(const std::string &file, Access access,
                                   std::chrono::milliseconds patience) {
  // Readers, too, may have to roll back what a killed writer left; a file that cannot be written is still
  // opened for reading.
  const int flags = SQLITE_OPEN_READWRITE | (access == Access::Write ? SQLITE_OPEN_CREATE : 0);
  // NOMUTEX: each connection has one thread. EXRESCODE stays off: the primary code tells damage.
  const int code = sqlite3_open_v2(file.c_str(), &connection_, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code != SQLITE_OK) {
    const SqliteFailure failure{code & 0xff,
                                connection_ ? sqlite3_errmsg(connection_) : sqlite3_errstr(code)};
    sqlite3_close(connection_);
    throw failure;
  }
  sqlite3_busy_timeout(connection_, static_cast<int>(patience.count()));
}

SqliteConnection::~SqliteConnection() { sqlite3_close(connection_); }

void SqliteConnection::run(const std::string &text, const std::vector<Value> &values,
                           const std::function<void(const Row &)> &visit) {
  sqlite3_stmt *prepared = nullptr;
  if (int code = sqlite3_prepare_v2(connection_, text.c_str(), -1, &prepared, nullptr)) fail(code);
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt *)> statement(prepared, sqlite3_finalize);
  for (size_t i = 0; i < values.size(); ++i) {
    const int place = static_cast<int>(i) + 1;
    int code = SQLITE_OK;
    if (const auto *integer = std::get_if<int64_t>(&values[i]))
      code = sqlite3_bind_int64(prepared, place, *integer);
    else if (const auto *real = std::get_if<double>(&values[i]))
      code = sqlite3_bind_double(prepared, place, *real);
    else {
      const std::string &words = std::get<std::string>(values[i]);
      code = sqlite3_bind_text(prepared, place, words.data(), static_cast<int>(words.size()), SQLITE_STATIC);
    }
    if (code != SQLITE_OK) fail(code);
  }
  for (;;) {
    const int code = sqlite3_step(prepared);
    if (code == SQLITE_DONE) return;
    if (code != SQLITE_ROW) fail(code);
    if (visit) visit(Row(prepared));
  }
}

size_t SqliteConnection::changes() const { return static_cast<size_t>(sqlite3_changes(connection_)); }

std::string SqliteConnection::Row::text(int column) const {
  const unsigned char *bytes = sqlite3_column_text(statement_, column);
  const int count = sqlite3_column_bytes(statement_, column);
  return bytes ? std::string(reinterpret_cast<const char *>(bytes), static_cast<size_t>(count)) : "";
}
int64_t SqliteConnection::Row::integer(int column) const { return sqlite3_column_int64(statement_, column); }
double SqliteConnection::Row::real(int column) const { return sqlite3_column_double(statement_, column); }

} // namespace mxc
