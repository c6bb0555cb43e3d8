// compile() in a host: from many threads at once, with good and bad kernels, and nothing of the host's
// touched.
#include "compiler/Compiler.h"
#include "compiler/CompilerIdentity.h"
#include "dialect/formats/Error.h"
#include "tests/unit/compiler/ProcessState.h"
#include "tests/unit/process/ChildProcess.h"
#include "tests/unit/process/ThreadLimit.h"

#include <catch2/catch.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <pthread.h>
#include <thread>

using namespace mxc;

static const std::string kQuantize =
    "mx.kernel @k(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {\n"
    "  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)\n"
    "}\n";

/// The kernel, and beside it a function that LLVM fails on; an entry is compiled apart from the others.
static std::string withFunction(const std::string &body, const std::string &attributes = "") {
  return kQuantize + "llvm.func @f(%c : i32) " + attributes + " {\n  " + body + "\n  llvm.return\n}\n";
}
static std::string withEntry(const std::string &body) {
  return withFunction(body, "attributes {nvvm.kernel}");
}

struct Source {
  std::string text, expected; // of its message; empty: it compiles
};

static const std::array kSources = {
    Source{kQuantize, ""},
    // llvm::report_fatal_error
    Source{withFunction("llvm.call_intrinsic \"llvm.x86.sse2.pause\"() : () -> ()"),
           "test.mlir: error: code generation for sm_100a failed: Cannot select"},
    // an error that LLVM's context reports; by itself it would call exit(1)
    Source{withFunction("llvm.inline_asm has_side_effects \"nop $0;\", \"x\" %c : (i32) -> ()"),
           "error: unknown asm constraint 'x'"},
    Source{withEntry("llvm.call_intrinsic \"llvm.x86.sse2.pause\"() : () -> ()"),
           "test.mlir: error: code generation for sm_100a failed: Cannot select"},
    Source{withEntry("llvm.inline_asm has_side_effects \"nop $0;\", \"x\" %c : (i32) -> ()"),
           "error: unknown asm constraint 'x'"},
    Source{"mx.kernel @k(", "test.mlir:1:13: error: "},
};

/// Its PTX, or what it says is wrong.
static std::string outcome(const std::string &source, Stage stage = Stage::Ptx,
                           Assembler assembler = Assembler::Auto) {
  CompileOptions options;
  options.stage = stage;
  options.assembler = assembler;
  try {
    return compile(source, "test.mlir", options).output;
  } catch (const Error &error) {
    return error.what();
  }
}

static void hostsHandler(int) {}

/// A host with handlers and a locale of its own, while it lives.
class Host {
public:
  Host() : locale_(std::setlocale(LC_ALL, nullptr)) {
    std::setlocale(LC_ALL, "C.UTF-8");
    struct sigaction action = {};
    action.sa_handler = hostsHandler;
    action.sa_flags = SA_RESTART;
    for (size_t i = 0; i < kSignals.size(); ++i)
      sigaction(kSignals[i], &action, &before_[i]);
  }
  ~Host() {
    for (size_t i = 0; i < kSignals.size(); ++i)
      sigaction(kSignals[i], &before_[i], nullptr);
    std::setlocale(LC_ALL, locale_.c_str());
  }

private:
  static constexpr std::array kSignals = {SIGSEGV, SIGABRT, SIGINT, SIGTERM, SIGALRM,
                                          SIGBUS,  SIGILL,  SIGFPE, SIGPIPE};
  std::array<struct sigaction, kSignals.size()> before_;
  std::string locale_;
};

TEST_CASE("compile: what LLVM calls fatal is an error like any other") {
  for (const Source &source : kSources) {
    std::string text = outcome(source.text);
    INFO(source.text);
    CHECK_THAT(text, Catch::Contains(source.expected.empty() ? ".entry k" : source.expected));
  }
}

TEST_CASE("compile: what is wrong with several entries is said in their order") {
  const auto bad = [](const std::string &name, const std::string &constraint) {
    return "llvm.func @" + name +
           "(%c : i32) attributes {nvvm.kernel} {\n  llvm.inline_asm has_side_effects \"nop $0;\", \"" +
           constraint + "\" %c : (i32) -> ()\n  llvm.return\n}\n";
  };
  const std::string source = kQuantize + bad("f", "x") + bad("g", "y") + bad("h", "z"),
                    first = outcome(source);
  size_t last = 0;
  for (const char *constraint : {"constraint 'x'", "constraint 'y'", "constraint 'z'"}) {
    INFO(first);
    const size_t place = first.find(constraint);
    REQUIRE(place != first.npos);
    CHECK(place > last);
    last = place;
  }
  for (int round = 0; round < 8; ++round)
    CHECK(outcome(source) == first);
}

TEST_CASE("compile: a host's signal handlers, locale and environment stay") {
  Host host;
  ProcessState before = ProcessState::now();
  for (const Source &source : kSources) {
    outcome(source.text, Stage::Cubin);
    CHECK(before.changes() == "");
  }
}

TEST_CASE("compile: eight threads with good and bad kernels at once") {
  Host host;
  ProcessState before = ProcessState::now();
  std::array<std::string, kSources.size()> expected;
  for (size_t i = 0; i < kSources.size(); ++i)
    expected[i] = outcome(kSources[i].text);
  constexpr size_t kThreads = 8, kRounds = 6;
  std::array<std::array<std::string, kRounds>, kThreads> found;
  std::array<std::string, kThreads> seen; // during, by each thread
  std::vector<std::thread> threads;
  for (size_t thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      ProcessState own = ProcessState::now();
      for (size_t round = 0; round < kRounds; ++round)
        found[thread][round] = outcome(kSources[(thread + round) % kSources.size()].text);
      seen[thread] = own.changes();
    });
  for (std::thread &thread : threads)
    thread.join();
  for (size_t thread = 0; thread < kThreads; ++thread) {
    for (size_t round = 0; round < kRounds; ++round)
      CHECK(found[thread][round] == expected[(thread + round) % kSources.size()]);
    CHECK(seen[thread] == "");
  }
  CHECK(before.changes() == "");
}

TEST_CASE("compile: four threads assemble at once, in the process and by a program") {
  Host host;
  ProcessState before = ProcessState::now();
  for (Assembler assembler : {Assembler::NvJitLink, Assembler::Ptxas}) {
    std::string expected = outcome(kQuantize, Stage::Cubin, assembler);
    std::array<std::string, 4> found;
    std::vector<std::thread> threads;
    for (std::string &cubin : found)
      threads.emplace_back([&, assembler] { cubin = outcome(kQuantize, Stage::Cubin, assembler); });
    for (std::thread &thread : threads)
      thread.join();
    for (const std::string &cubin : found)
      CHECK((cubin == expected)); // without a toolkit: the same message
    CHECK(before.changes() == "");
  }
}

/// How many of the process's threads are neither `main` nor `caller`, and whether one of them
/// would take a signal that is sent to the process.
struct OtherThreads {
  size_t count = 0;
  bool takesSignals = false;
};

static OtherThreads otherThreads(pid_t main, pid_t caller) {
  OtherThreads found;
  for (const auto &task : std::filesystem::directory_iterator("/proc/self/task")) {
    const pid_t thread = std::stoi(task.path().filename());
    if (thread == main || thread == caller) continue;
    std::ifstream status(task.path() / "status");
    bool isAlive = true; // of one that has ended the mask reads 0, and so does this
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("Threads:")) isAlive = std::stoi(line.substr(8)) > 0;
      if (!isAlive || !line.starts_with("SigBlk:")) continue;
      ++found.count;
      found.takesSignals |= !(std::stoull(line.substr(7), nullptr, 16) >> (SIGTERM - 1) & 1);
    }
  }
  return found;
}

TEST_CASE("compile: its threads take none of the host's signals, and end with it") {
  const size_t before = otherThreads(getpid(), gettid()).count; // a sanitizer's
  std::atomic<pid_t> caller = 0;
  std::atomic<bool> isDone = false;
  std::thread thread([&] {
    caller = gettid();
    for (int i = 0; i < 8; ++i)
      outcome(kQuantize, Stage::Cubin, Assembler::NvJitLink);
    isDone = true;
  });
  while (!caller)
    std::this_thread::yield();
  OtherThreads during;
  while (!isDone) {
    OtherThreads now = otherThreads(getpid(), caller);
    during.count = std::max(during.count, now.count);
    during.takesSignals |= now.takesSignals;
  }
  thread.join();
  CHECK(during.count > before);
  CHECK(!during.takesSignals);
  size_t after = otherThreads(getpid(), caller).count;
  for (int i = 0; i < 200 && after != before; ++i) { // one that was joined is still shown for a moment
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    after = otherThreads(getpid(), caller).count;
  }
  CHECK(after == before);
}

TEST_CASE("compile: a thread with a small stack may ask for PTX") {
  pthread_attr_t attributes;
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstacksize(&attributes, 96 << 10) == 0);
  std::string found;
  auto body = [](void *text) -> void * {
    *static_cast<std::string *>(text) = outcome(kQuantize);
    return nullptr;
  };
  pthread_t thread;
  REQUIRE(pthread_create(&thread, &attributes, body, &found) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  CHECK(found == outcome(kQuantize));
}

TEST_CASE("nvJitLink is loaded as soon as it can be", "[.load-again]") { // run in a process of its own
  rlimit before;
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit none = {3, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
  const std::string without = outcome(kQuantize, Stage::Cubin, Assembler::NvJitLink);
  REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK_THAT(without, Catch::Contains("libnvJitLink"));
  if (!hasAssembler(Assembler::NvJitLink)) return;
  CHECK(outcome(kQuantize, Stage::Cubin, Assembler::NvJitLink).starts_with("\177ELF"));
}

TEST_CASE("compile: an assembler that could not be loaded once is loaded the next time") {
  ChildProcess child([] { return execl("/proc/self/exe", "unit-compiler", "[.load-again]", nullptr); });
  CHECK(child.wait(std::chrono::minutes(2)) == 0);
}

#ifndef __SANITIZE_THREAD__ // whose threads count too
TEST_CASE("compile: a process that may have few threads has its cubins assembled all the same") {
  for (Assembler assembler : {Assembler::NvJitLink, Assembler::Ptxas}) {
    if (!hasAssembler(assembler)) continue;
    for (rlim_t most = 2; most < 10; ++most) {
      INFO(most);
      ChildProcess child([&, assembler, most] {
        if (!limitThreads(most)) return 2;
        return outcome(kQuantize, Stage::Cubin, assembler).starts_with("\177ELF") ? 0 : 1;
      });
      CHECK(child.wait(std::chrono::minutes(2)) == 0); // who waits for a thread that never comes
    }
  }
}
#endif
