// Work that nobody waits for.
#include "runtime/jit/BackgroundThreads.h"
#include "compiler/Compiler.h"
#include "tests/unit/runtime/Failure.h"

#include <chrono>
#include <thread>

using namespace mxc;

static bool comesTrue(const std::atomic<bool> &flag) {
  for (int i = 0; i < 60'000 && !flag; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return flag;
}

TEST_CASE("background work: its owner ends it without waiting, and what runs is told", "[engine]") {
  // On its own: a step may go on when the test has returned.
  struct Seen {
    std::atomic<bool> hasBegun = false, mayGoOn = false, wasTold = false, hasEnded = false;
  };
  auto seen = std::make_shared<Seen>();
  const int owner = 0;
  beginBackgroundWork(&owner, [seen](const std::atomic<bool> &isEnding) {
    seen->hasBegun = true;
    comesTrue(seen->mayGoOn);
    seen->wasTold = isEnding.load();
    seen->hasEnded = true;
    return true;
  });
  REQUIRE(comesTrue(seen->hasBegun));
  endBackgroundWork(&owner);
  CHECK_FALSE(seen->hasEnded); // its step is still under way
  seen->mayGoOn = true;
  CHECK(comesTrue(seen->hasEnded));
  CHECK(seen->wasTold);
  endBackgroundWork(&owner); // of nothing
}

TEST_CASE("compilations that nobody wants are given up", "[engine]") {
  std::atomic<bool> isUnwanted = true;
  CompileOptions options;
  options.stage = Stage::Ptx;
  options.isUnwanted = &isUnwanted;
  CHECK_THAT(failure(ErrorKind::Device, [&] { compile("mx.kernel @k(", "k.mlir", options); }),
             Catch::Contains("nobody waits for it"));
  isUnwanted = false;
  CHECK_THAT(invalidInput([&] { compile("mx.kernel @k(", "k.mlir", options); }),
             Catch::Contains("k.mlir:1:"));
}
