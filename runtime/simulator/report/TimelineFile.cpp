#include "runtime/simulator/report/TimelineFile.h"

#include "dialect/formats/Error.h"

#include <cstring>
#include <fstream>
#include <map>

namespace mxc::sim {

namespace {

constexpr char kHead[] = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [", kFoot[] = "\n]}\n";

struct Written { // by this process
  uint64_t processes = 0;
  bool hasEvents = false;
};
std::mutex filesMutex;
std::map<std::string, Written> &files() {
  static auto *files = new std::map<std::string, Written>;
  return *files;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

std::string number(uint64_t value) { return std::to_string(value); }

/// {"ph": "M", ..}: a name, or a place among the others.
std::string fact(uint64_t process, uint64_t thread, const char *what, const std::string &key,
                 const std::string &value) {
  return "{\"ph\": \"M\", \"pid\": " + number(process) + ", \"tid\": " + number(thread) + ", \"name\": \"" +
         what + "\", \"args\": {\"" + key + "\": " + value + "}}";
}

std::string event(uint64_t process, uint64_t thread, const TimelineTrack::Slice &slice) {
  std::string arguments;
  if (slice.line) arguments = "\"line\": " + number(slice.line);
  if (!slice.detail.empty()) arguments += (slice.line ? ", " : "") + ("\"detail\": " + quoted(slice.detail));
  return "{\"ph\": \"X\", \"pid\": " + number(process) + ", \"tid\": " + number(thread) +
         ", \"ts\": " + number(slice.begin) + ", \"dur\": " + number(slice.end - slice.begin) +
         ", \"name\": " + quoted(slice.name) + ", \"cat\": \"" + slice.category + "\", \"args\": {" +
         arguments + "}}";
}

} // namespace

TimelineFile::TimelineFile(std::string path, std::string kernel, uint64_t ctas)
    : path_(std::move(path)), kernel_(std::move(kernel)) {
  std::lock_guard lock(filesMutex);
  auto [file, isNew] = files().try_emplace(path_);
  if (isNew && !(std::ofstream(path_, std::ios::trunc) << kHead << kFoot << std::flush)) {
    files().erase(file);
    throw Error(ErrorKind::InvalidInput, path_ + ": cannot write the timeline: " + std::strerror(errno));
  }
  firstProcess_ = file->second.processes;
  file->second.processes += ctas;
}

void TimelineFile::add(const std::vector<TimelineTrack> &tracks,
                       const std::vector<std::array<uint32_t, 3>> &positions) {
  std::lock_guard lock(mutex_);
  const uint64_t first = firstProcess_ + processes_;
  processes_ += positions.size();
  std::vector<std::string> events;
  for (size_t rank = 0; rank < positions.size(); ++rank) {
    const auto &[x, y, z] = positions[rank];
    events.push_back(fact(first + rank, 0, "process_name", "name",
                          quoted(kernel_ + " CTA (" + number(x) + ", " + number(y) + ", " + number(z) + ")" +
                                 (room < 0 ? ", cut short" : ""))));
  }
  for (size_t row = 0; row < tracks.size(); ++row) {
    const TimelineTrack &track = tracks[row];
    const uint64_t process = first + track.cta, thread = row + 1;
    events.push_back(fact(process, thread, "thread_name", "name", quoted(track.name)));
    events.push_back(fact(process, thread, "thread_sort_index", "sort_index", number(row)));
    for (const TimelineTrack::Slice &slice : track.slices)
      events.push_back(event(process, thread, slice));
  }
  std::lock_guard fileLock(filesMutex);
  Written &written = files()[path_];
  std::fstream file(path_, std::ios::in | std::ios::out);
  file.seekp(-long(std::strlen(kFoot)), std::ios::end);
  for (const std::string &each : events) {
    file << (written.hasEvents ? ",\n" : "\n") << each;
    written.hasEvents = true;
  }
  file << kFoot << std::flush;
  if (!file) fail();
}

} // namespace mxc::sim
