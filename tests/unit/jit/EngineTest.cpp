// The engine on simulated chips and on a driver in host memory.
#include "runtime/jit/Engine.h"
#include "runtime/device/Buffer.h"
#include "runtime/device/Graph.h"
#include "runtime/device/Stream.h"
#include "tests/unit/compiler/ProcessState.h"
#include "tests/unit/process/ChildProcess.h"
#include "tests/unit/runtime/ExampleImage.h"
#include "tests/unit/runtime/Failure.h"
#include "tests/unit/runtime/FakeDevice.h"
#include "tests/unit/runtime/TemporaryFolder.h"

#include <atomic>
#include <cstdio>
#include <future>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace mxc;
using Catch::Contains;

static const std::string kSource =
    "mx.kernel @k(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {\n"
    "  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)\n"
    "}\n";

static EngineOptions cachedIn(const std::string &folder) {
  EngineOptions options;
  options.cache = KernelCache(folder);
  return options;
}
static EngineOptions uncached() {
  EngineOptions options;
  options.cache.reset();
  return options;
}

namespace {

/// x, q and s of the kernel, x being ones.
class Tensors {
public:
  explicit Tensors(const Device &device)
      : x_(device, kRows * kColumns * 2), q_(device, kRows * kColumns), s_(device, kRows * kColumns / 32) {
    const std::vector<uint16_t> ones(kRows * kColumns, 0x3f80);
    x_.upload(std::as_bytes(std::span(ones)));
    q_.fill(0xee);
    s_.fill(0xee);
  }
  Arguments arguments() const {
    return {{"x", {x_.address(), "bf16", {kRows, kColumns}, {}}},
            {"q", {q_.address(), "e4m3", {kRows, kColumns}, {}}},
            {"s", {s_.address(), "ue8m0", {kRows, kColumns / 32}, {}}}};
  }
  /// 1 = 256 * 2^-8: the largest power of two that e4m3 has, 0x78.
  bool areQuantized() const {
    std::vector<std::byte> q(q_.bytes()), s(s_.bytes());
    q_.download(q);
    s_.download(s);
    return std::ranges::all_of(q, [](std::byte code) { return code == std::byte(0x78); }) &&
           std::ranges::all_of(s, [](std::byte code) { return code == std::byte(127 - 8); });
  }

private:
  static constexpr int64_t kRows = 8, kColumns = 64;
  Buffer x_, q_, s_;
};

} // namespace

static bool launches(const Kernel &kernel) {
  Tensors tensors(kernel.module().device());
  Stream stream(kernel.module().device());
  kernel.launch(tensors.arguments(), {.stream = stream});
  stream.synchronize();
  return tensors.areQuantized();
}

TEST_CASE("engine: a kernel from text, launched by its arguments' names", "[engine]") {
  TemporaryFolder folder;
  Engine engine(openDevice("simulator:sm_100a"), cachedIn(folder.file("cache")));
  CHECK(launches(engine.load(kSource, "k.mlir").kernel("k")));
  CHECK(launches(engine.load(kSource, "k.mlir").kernel()));
  CHECK(engine.counts().compiled == 1);
  CHECK(engine.counts().loaded == 1);
  Engine another(engine.device(), cachedIn(folder.file("cache")));
  CHECK(launches(another.load(kSource, "other.mlir").kernel()));
  CHECK(another.counts().compiled == 0);
  CHECK(another.counts().foundInCache == 1);
}

TEST_CASE("engine: from files of MLIR and of images", "[engine]") {
  TemporaryFolder folder;
  Engine engine(openDevice("simulator:sm_90a"), uncached());
  CHECK(launches(engine.loadFile(folder.write("k.mlir", kSource)).kernel()));
  CompileOptions options;
  options.targets = {"sm_90a"};
  options.stage = Stage::Ptx;
  CHECK(launches(engine.loadFile(folder.write("k.ptx", compile(kSource, "k", options).output)).kernel()));
  CHECK(engine.counts().compiled == 1);
  CHECK(engine.counts().loaded == 2);
  CHECK_THAT(invalidInput([&] { engine.loadFile(folder.file("none.mlir")); }), Contains("cannot read "));
}

TEST_CASE("engine: a tile makes another kernel", "[engine]") {
  Engine engine(openDevice("simulator:sm_90a"), uncached());
  Module chosen = engine.load(kSource, "k.mlir", "warps = 2, rows_per_warp = 1");
  CHECK_THAT(chosen.abi().kernels[0].variants[0].tile, Contains("warps = 2"));
  CHECK(launches(chosen.kernel()));
  engine.load(kSource, "k.mlir");
  CHECK(engine.counts().compiled == 2);
  CHECK_THAT(failure(ErrorKind::Usage, [&] { engine.load(kSource, "k.mlir", "warps = 3000"); }),
             Contains("warps"));
}

TEST_CASE("engine: eight threads that ask at once get one kernel, compiled once", "[engine]") {
  TemporaryFolder folder;
  Engine engine(openDevice("simulator:sm_100a"), cachedIn(folder.file("cache")));
  ProcessState before = ProcessState::now();
  std::vector<std::future<bool>> results;
  for (int thread = 0; thread < 8; ++thread)
    results.push_back(std::async(std::launch::async, [&] {
      ProcessState own = ProcessState::now();
      return launches(engine.load(kSource, "k.mlir").kernel()) && own.changes().empty();
    }));
  for (std::future<bool> &result : results)
    CHECK(result.get());
  CHECK(engine.counts().compiled == 1);
  CHECK(engine.counts().loaded == 1);
  CHECK(before.changes() == "");
}

TEST_CASE("engine: threads that ask for a kernel that is at fault each get its error", "[engine]") {
  Engine engine(openDevice("simulator:sm_100a"), uncached());
  std::vector<std::future<std::string>> messages;
  for (int thread = 0; thread < 8; ++thread)
    messages.push_back(std::async(std::launch::async, [&]() -> std::string {
      try {
        engine.load("mx.kernel @k(", "bad.mlir");
        return "loaded";
      } catch (const Error &error) {
        return error.what();
      }
    }));
  for (std::future<std::string> &message : messages)
    CHECK_THAT(message.get(), Contains("bad.mlir:1:"));
}

TEST_CASE("engine: several devices in one process", "[engine]") {
  TemporaryFolder folder;
  std::vector<std::future<bool>> results;
  for (const char *name : {"simulator:sm_90a", "simulator:sm_100a", "simulator:sm_120a"})
    results.push_back(std::async(std::launch::async, [&folder, name] {
      Engine engine(openDevice(name), cachedIn(folder.file("cache")));
      return launches(engine.load(kSource, "k.mlir").kernel());
    }));
  for (std::future<bool> &result : results)
    CHECK(result.get());
  CHECK(KernelCache(folder.file("cache")).kernels().size() == 3);
}

TEST_CASE("engine: a kernel launched into a graph, its first launch of all", "[engine]") {
  Engine engine(openDevice("simulator:sm_100a"), uncached());
  Tensors tensors(engine.device());
  Stream stream(engine.device());
  Graph graph = Graph::capture(stream, [&] {
    engine.load(kSource, "k.mlir").kernel().launch(tensors.arguments(), {.stream = stream});
  });
  stream.synchronize();
  CHECK_FALSE(tensors.areQuantized());
  graph.launch(stream);
  stream.synchronize();
  CHECK(tensors.areQuantized());
}

TEST_CASE("engine: modules outlive it", "[engine]") {
  std::optional<Kernel> kernel;
  {
    Engine engine(openDevice("simulator:sm_90a"), uncached());
    kernel = engine.load(kSource, "k.mlir").kernel();
  }
  CHECK(launches(*kernel));
}

TEST_CASE("engine: says why a kernel could not be kept, and goes on", "[engine]") {
  TemporaryFolder folder;
  EngineOptions options = cachedIn(folder.write("file", "") + "/cache");
  std::string said;
  options.warn = [&](const std::string &text) { said += text; };
  Engine engine(openDevice("simulator:sm_90a"), options);
  CHECK(launches(engine.load(kSource, "k.mlir").kernel()));
  CHECK_THAT(said, Contains("Not a directory"));
}

TEST_CASE("engine: an image is loaded as it is", "[engine]") {
  Engine engine(fakeDevice(), uncached());
  const std::string cubin = cubinOf({"sm_90a"}), fatbin = fatbinOf({"sm_100a", "sm_90a"});
  CHECK(engine.load(cubin, "k.cubin").abi().target == "sm_90a");
  CHECK(engine.load(fatbin, "k.fatbin").abi().target == "sm_90a");
  engine.load(cubin, "k.cubin");
  CHECK(fakeState().modules == 2);
  CHECK(fakeState().contextDepth == 0);
  CHECK(engine.counts().compiled == 0);
  CHECK_THAT(failure(ErrorKind::Usage, [&] { engine.load(cubin, "q.cubin", "warps = 4"); }),
             Contains("q.cubin is compiled already"));
}

TEST_CASE("engine: a failure is not remembered", "[engine]") {
  Engine engine(fakeDevice(), uncached());
  const std::string cubin = cubinOf({"sm_90a"});
  fakeState().failing = "cuModuleLoadDataEx";
  failure(ErrorKind::Device, [&] { engine.load(cubin, "k.cubin"); });
  fakeState().failing = "";
  engine.load(cubin, "k.cubin");
  CHECK(fakeState().modules == 1);
}

TEST_CASE("engine: what is launched into a graph allocates nothing and waits for nothing", "[engine]") {
  Engine engine(fakeDevice(), uncached());
  fakeState().parameterSizes = std::vector<size_t>(6, 8);
  Stream stream(engine.device());
  for (const char *refused : {"cuMemAlloc_v2", "cuMemAllocFromPoolAsync", "cuMemFree_v2",
                              "cuStreamSynchronize", "cuEventSynchronize", "cuMemGetInfo_v2"}) {
    fakeState().failing = refused;
    fakeState().launches.clear();
    Graph graph = Graph::capture(stream, [&] {
      engine.load(cubinOf({"sm_90a"}), "k.cubin").kernel().launch(exampleArguments(), {.stream = stream});
    });
    CHECK(fakeState().launches.empty());
    graph.launch(stream);
    CHECK(fakeState().launches.size() == 1);
  }
  CHECK(engine.counts().loaded == 1);
}

/// What the test after it starts: exit status 0 if it compiled, 42 if it found the kernel.
TEST_CASE("engine: a process that asks for a kernel", "[.engine-process]") {
  Engine engine(openDevice("simulator:sm_100a")); // the cache of its environment
  REQUIRE(launches(engine.load(kSource, "k.mlir").kernel()));
  if (engine.counts().foundInCache) _exit(42);
}

TEST_CASE("engine: of eight processes at once one compiles", "[engine]") {
  TemporaryFolder folder;
  std::string home = "XDG_CACHE_HOME=" + folder.file("cache"), path = "/proc/self/exe", program = "unit-jit",
              tag = "[.engine-process]", output = "-o", nowhere = "/dev/null";
  char *arguments[] = {program.data(), tag.data(), output.data(), nowhere.data(), nullptr};
  std::vector<char *> variables = {home.data()};
  for (char **variable = environ; *variable; ++variable) // a sanitizer's
    if (std::string_view(*variable).find("SAN_OPTIONS=") != std::string_view::npos)
      variables.push_back(*variable);
  variables.push_back(nullptr);
  std::vector<pid_t> processes(8);
  for (pid_t &process : processes)
    REQUIRE(posix_spawn(&process, path.c_str(), nullptr, nullptr, arguments, variables.data()) == 0);
  int compiled = 0, found = 0;
  for (pid_t process : processes) {
    int status = 0;
    waitpid(process, &status, 0);
    compiled += WIFEXITED(status) && WEXITSTATUS(status) == 0;
    found += WIFEXITED(status) && WEXITSTATUS(status) == 42;
  }
  CHECK(compiled == 1);
  CHECK(found == 7);
}

TEST_CASE("engine: a fork beside a launching thread gets an error, or works, and does not wait for ever") {
  const Device device = openDevice("simulator:sm_100a");
  const Engine engine(device, uncached());
  const Kernel kernel = engine.load(kSource, "k.mlir").kernel();
  const Tensors tensors(device);
  std::atomic<bool> isOver = false;
  std::thread other([&] {
    while (!isOver)
      kernel.launch(tensors.arguments());
  });
  for (int i = 0; i < 10; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(7 * i));
    ChildProcess child([&] {
      (void)!freopen("/dev/null", "w", stderr); // what the driver says
      try {
        engine.load(kSource, "k.mlir");
        return 1;
      } catch (const Error &error) {
        if (!std::string(error.what()).starts_with("this engine was made in process")) return 2;
      }
      try {
        kernel.launch(tensors.arguments());
      } catch (const Error &error) {
        if (error.kind() != ErrorKind::Device) return 3;
      }
      return 0;
    });
    CHECK(child.wait(std::chrono::seconds(30)) == 0);
  }
  isOver = true;
  other.join();
}

// Nine entry points: all but the first that is launched are made meanwhile.
static const std::string kProduct =
    "#scales = #mx.scale_layout<tcgen05>\n"
    "mx.kernel @p(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,\n"
    "             %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xf32>) {\n"
    "  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>,\n"
    "                memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?xf32>)\n"
    "}\n";

namespace {
/// Ones: 1 x 1 x K in f32.
class Product {
public:
  Product(const Kernel &kernel, int64_t m, int64_t n, int64_t k)
      : kernel_(kernel), device_(kernel.module().device()), m_(m), n_(n), k_(k), codes_(device_, (m + n) * k),
        scales_(device_, 512 * 64), c_(device_, m * n * 4) {
    codes_.fill(0x38);
    scales_.fill(127);
    c_.fill(0xee);
  }
  bool isRight() {
    Stream stream(device_);
    auto scales = [&](int64_t rows) -> std::vector<int64_t> {
      return {512 * ((rows + 127) / 128) * ((k_ / 32 + 3) / 4)};
    };
    kernel_.launch({{"a", {codes_.address(), "e4m3", {m_, k_}, {}}},
                    {"sa", {scales_.address(), "ue8m0", scales(m_), {}}},
                    {"b", {codes_.address() + uint64_t(m_ * k_), "e4m3", {n_, k_}, {}}},
                    {"sb", {scales_.address(), "ue8m0", scales(n_), {}}},
                    {"c", {c_.address(), "f32", {m_, n_}, {}}}},
                   {.stream = stream});
    stream.synchronize();
    std::vector<float> c(size_t(m_ * n_));
    c_.download(std::as_writable_bytes(std::span(c)));
    return std::ranges::all_of(c, [&](float value) { return value == float(k_); });
  }

private:
  Kernel kernel_;
  Device device_;
  int64_t m_, n_, k_;
  Buffer codes_, scales_, c_;
};
} // namespace

TEST_CASE("engine: a kernel of many entries is launched when one of them is made", "[engine]") {
  std::string product = kProduct, tiles;
  for (int n : {64, 128, 256})
    for (const char *rows : {"32", "64", "96"})
      tiles += "#mx.matmul_tile<n = " + std::to_string(n) +
               ", stages = 2, buffers = 1, when = \"M <= " + rows + "\">, ";
  product.insert(product.rfind("\n}"), " tiles = [" + tiles + "#mx.matmul_tile<n = 64>]");
  TemporaryFolder folder;
  const KernelCache cache(folder.file("cache"));
  auto entries = [&] {
    std::vector<std::string> names;
    for (const CachedKernel &kernel : cache.kernels())
      if (kernel.entry && kernel.entry->stage != "record") names.push_back(kernel.entry->kernels);
    return names;
  };
  size_t all = 0;
  {
    Engine engine(openDevice("simulator:sm_90a"), cachedIn(folder.file("cache")));
    Module module = engine.load(product, "p.mlir");
    all = module.abi().kernels[0].variants.size();
    REQUIRE(all > 6);
    CHECK(entries().empty()); // the record alone
    CHECK(Product(module.kernel(), 1, 64, 128).isRight());
    CHECK(entries().size() < all);
    CHECK(Product(module.kernel(), 200, 72, 64).isRight()); // another entry
    CHECK(engine.counts().compiled == 1);
    CHECK(engine.counts().loaded == 1);
  }
  const size_t before = entries().size();
  CHECK(before >= 2);
  Engine another(openDevice("simulator:sm_90a"), cachedIn(folder.file("cache")));
  Module module = another.load(product, "other.mlir");
  CHECK(another.counts().compiled == 0);
  CHECK(another.counts().foundInCache == 1);
  CHECK(Product(module.kernel(), 1, 64, 128).isRight());
  for (int i = 0; i < 1200 && entries().size() < all; ++i) // others follow
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  CHECK(entries().size() == all);
}

TEST_CASE("engine: eight threads that launch one entry at once make it once", "[engine]") {
  Engine engine(openDevice("simulator:sm_90a"), uncached());
  Module module = engine.load(kProduct, "p.mlir");
  std::vector<std::future<bool>> results;
  for (int thread = 0; thread < 8; ++thread)
    results.push_back(
        std::async(std::launch::async, [&] { return Product(module.kernel(), 1, 64, 128).isRight(); }));
  for (std::future<bool> &result : results)
    CHECK(result.get());
  CHECK(engine.counts().compiled == 1);
}
