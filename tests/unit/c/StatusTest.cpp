// Whose fault it is, what the error says, and structs of other versions.
#include "tests/unit/c/Host.h"

#include <cstring>
#include <thread>

using Catch::Contains;

TEST_CASE("C: the library says what it is", "[c]") {
  CHECK_THAT(mxc_version(), Catch::Matches("[0-9]+\\.[0-9]+\\.[0-9]+"));
  CHECK(mxc_api_version() >= MXC_API_VERSION);
  CHECK(mxc_has_compiler() == 1);
}

TEST_CASE("C: every kind of fault has its status and its text", "[c]") {
  mxc_engine *engine = nullptr;
  CHECK(mxc_engine_create("toaster", nullptr, &engine) == MXC_USAGE);
  CHECK_THAT(mxc_last_error(), Contains("toaster"));
  CHECK(engine == nullptr);
  CHECK(mxc_engine_create("cuda:7777", nullptr, &engine) == MXC_DEVICE);
  CHECK_THAT(mxc_last_error(), Contains("cuda") || Contains("CUDA"));

  Host host;
  mxc_kernel *kernel = nullptr;
  const std::string bad = "mx.kernel @k(";
  mxc_load_options options = {};
  options.struct_size = sizeof options;
  options.name = "bad.mlir";
  CHECK(mxc_kernel_load(host.engine, bad.data(), bad.size(), &options, &kernel) == MXC_INVALID_INPUT);
  CHECK_THAT(mxc_last_error(), Contains("bad.mlir:1:"));
  CHECK(kernel == nullptr);
  CHECK(mxc_kernel_load_file(host.engine, "/nonexistent.mlir", nullptr, &kernel) == MXC_INVALID_INPUT);
  CHECK_THAT(mxc_last_error(), Contains("cannot read /nonexistent.mlir"));
  options.kernel = "other";
  CHECK(mxc_kernel_load(host.engine, kSource.data(), kSource.size(), &options, &kernel) == MXC_INVALID_INPUT);
  CHECK_THAT(mxc_last_error(), Contains("holds no kernel 'other'"));
}

TEST_CASE("C: a NULL is an error, not a crash", "[c]") {
  Host host;
  mxc_kernel *kernel = nullptr;
  int64_t shape[MXC_MAXIMUM_RANK];
  int rank;
  mxc_engine *engine = nullptr;
  CHECK(mxc_engine_create(nullptr, nullptr, &engine) == MXC_USAGE);
  CHECK(mxc_last_error() == std::string("device is NULL"));
  CHECK(mxc_engine_create("simulator:sm_90a", nullptr, nullptr) == MXC_USAGE);
  CHECK(mxc_kernel_load(nullptr, kSource.data(), kSource.size(), nullptr, &kernel) == MXC_USAGE);
  CHECK(mxc_last_error() == std::string("engine is NULL"));
  CHECK(mxc_kernel_launch(nullptr, nullptr, 0, nullptr) == MXC_USAGE);
  CHECK(mxc_kernel_launch(host.kernel, nullptr, 3, nullptr) == MXC_USAGE);
  CHECK(mxc_kernel_shape(host.kernel, nullptr, 0, 0, shape, nullptr) == MXC_USAGE);
  CHECK(mxc_kernel_shape(host.kernel, nullptr, 0, 9, shape, &rank) == MXC_USAGE);
  CHECK_THAT(mxc_last_error(), Contains("kernel 'k' has 3 arguments, but number 9"));
  host.arguments[1].type = nullptr;
  CHECK(host.launch() == MXC_USAGE);
  CHECK(mxc_last_error() == std::string("the type of argument 'q' is NULL: expected a tensor's"));
  host.arguments[1].shape = nullptr;
  CHECK(host.launch() == MXC_USAGE);
  CHECK(mxc_last_error() == std::string("the shape of argument 'q' is NULL: expected a tensor's"));
  CHECK(mxc_launch_enqueue(nullptr, nullptr) == MXC_USAGE);
  CHECK(mxc_buffer_upload(host.x, 0, nullptr, 5) == MXC_USAGE);
  CHECK(mxc_stream_synchronize(nullptr) == MXC_USAGE);
  CHECK(mxc_compile(nullptr, 5, nullptr, nullptr) == MXC_USAGE);
  mxc_engine_destroy(nullptr);
  mxc_kernel_destroy(nullptr);
  mxc_launch_destroy(nullptr);
  mxc_buffer_destroy(nullptr);
  mxc_stream_destroy(nullptr);
  mxc_bytes_destroy(nullptr);
  CHECK(mxc_kernel_argument_count(nullptr) == 0);
}

TEST_CASE("C: lengths that no content has", "[c]") {
  Host host;
  mxc_kernel *kernel = nullptr;
  mxc_bytes *output = nullptr;
  for (size_t bytes : {SIZE_MAX, SIZE_MAX / 2, (size_t(1) << 30) + 1}) {
    CHECK(mxc_kernel_load(host.engine, "k", bytes, nullptr, &kernel) == MXC_USAGE);
    CHECK_THAT(mxc_last_error(),
               Contains("content of " + std::to_string(bytes) + " bytes: expected at most"));
    CHECK(mxc_compile("k", bytes, nullptr, &output) == MXC_USAGE);
  }
}

TEST_CASE("C: the last error is the thread's own", "[c]") {
  CHECK(mxc_stream_synchronize(nullptr) == MXC_USAGE);
  std::string other = "unset";
  std::thread([&] { other = mxc_last_error(); }).join();
  CHECK(other == "");
  CHECK(mxc_last_error() == std::string("stream is NULL"));
}

TEST_CASE("C: structs of older and newer versions", "[c]") {
  Host host;
  struct Newer {
    mxc_launch_options known;
    void *unknown;
  } newer = {};
  newer.known.struct_size = sizeof newer;
  auto launch = [&] { return mxc_kernel_launch(host.kernel, host.arguments.data(), 3, &newer.known); };
  CHECK(launch() == MXC_OK);
  newer.unknown = &newer;
  CHECK(launch() == MXC_USAGE);
  CHECK_THAT(mxc_last_error(),
             Contains("mxc_launch_options says something that this version of mxc does not know"));
  newer.known.struct_size = offsetof(mxc_launch_options, pdl); // what lies after it is not looked at
  CHECK(launch() == MXC_OK);
  newer.known.struct_size = 0;
  CHECK(launch() == MXC_USAGE);
  CHECK_THAT(mxc_last_error(), Contains("struct_size of mxc_launch_options is 0"));
  newer.known.struct_size = offsetof(mxc_launch_options, pdl) - 4; // the stream's pointer, cut in two
  CHECK(launch() == MXC_USAGE);

  mxc_argument_info info = {};
  info.struct_size = offsetof(mxc_argument_info, kind);
  info.rank = 77;
  REQUIRE(mxc_kernel_argument(host.kernel, 0, &info) == MXC_OK);
  CHECK(info.name == std::string("x"));
  CHECK(info.type == std::string("bf16"));
  CHECK(info.rank == 77); // an older caller's struct ends before it
}

TEST_CASE("C: arguments' structs are as long as the caller says", "[c]") {
  Host host;
  struct Longer {
    mxc_argument known;
    uint64_t later[3];
  };
  std::array<Longer, 3> longer = {};
  for (size_t i = 0; i < 3; ++i) {
    longer[i].known = host.arguments[i];
    longer[i].known.struct_size = sizeof(Longer);
  }
  CHECK(mxc_kernel_launch(host.kernel, &longer[0].known, 3, nullptr) == MXC_OK);
  CHECK(host.isQuantized());
  for (Longer &argument : longer)
    argument.known.struct_size = offsetof(mxc_argument, name) + 4;
  CHECK(mxc_kernel_launch(host.kernel, &longer[0].known, 3, nullptr) == MXC_USAGE);
  CHECK_THAT(mxc_last_error(), Contains("struct_size of mxc_argument is 12"));
  longer[0].known.struct_size = sizeof(Longer);
  longer[1].known.struct_size = sizeof(mxc_argument);
  CHECK(mxc_kernel_launch(host.kernel, &longer[0].known, 3, nullptr) == MXC_USAGE);
  CHECK_THAT(mxc_last_error(), Contains("struct_size of argument 1, counted from 0, is " +
                                        std::to_string(sizeof(mxc_argument)) + ": expected " +
                                        std::to_string(sizeof(Longer)) + " as in argument 0"));
}

TEST_CASE("C: options that are empty, and tiles that are none", "[c]") {
  Host host;
  mxc_kernel *kernel = nullptr;
  const auto refusal = [&](const char *name, const char *tile) {
    mxc_load_options options = {};
    options.struct_size = sizeof options;
    options.kernel = name, options.tile = tile;
    CHECK(mxc_kernel_load(host.engine, kSource.data(), kSource.size(), &options, &kernel) == MXC_USAGE);
    return std::string(mxc_last_error());
  };
  CHECK(refusal("", nullptr) == "kernel is empty: expected NULL for the default");
  CHECK(refusal(nullptr, "") == "tile is empty: expected NULL for the default");
  for (const char *tile : {";", " ", "warps = 4;", ";; warps = 4"})
    CHECK_THAT(refusal(nullptr, tile), Contains("a tile is empty: expected #mx.quantize_tile<...>"));
  mxc_compile_options options = {};
  mxc_bytes *output = nullptr;
  options.struct_size = sizeof options;
  options.tile = ";;";
  CHECK(mxc_compile(kSource.data(), kSource.size(), &options, &output) == MXC_USAGE);
  CHECK_THAT(mxc_last_error(), Contains("a tile is empty"));
}

TEST_CASE("C: handles that were destroyed, or never made, are errors", "[c]") {
  Host host;
  mxc_engine *engine = nullptr;
  mxc_engine_options options = {};
  options.struct_size = sizeof options;
  options.cache_folder = "";
  REQUIRE(mxc_engine_create("simulator:sm_100a", &options, &engine) == MXC_OK);
  mxc_kernel *kernel = nullptr;
  REQUIRE(mxc_kernel_load(engine, kSource.data(), kSource.size(), nullptr, &kernel) == MXC_OK);
  mxc_launch *launch = nullptr;
  const auto &given = host.arguments;
  REQUIRE(mxc_kernel_prepare(kernel, given.data(), given.size(), nullptr, &launch) == MXC_OK);
  mxc_buffer *buffer = nullptr;
  REQUIRE(mxc_buffer_create(engine, 64, &buffer) == MXC_OK);
  mxc_stream *stream = nullptr;
  REQUIRE(mxc_stream_create(engine, &stream) == MXC_OK);
  mxc_stream_destroy(stream), mxc_buffer_destroy(buffer), mxc_launch_destroy(launch);
  mxc_kernel_destroy(kernel), mxc_engine_destroy(engine);

  char bytes[64];
  mxc_launch *another = nullptr;
  mxc_kernel *loaded = nullptr;
  const mxc_status statuses[] = {
      mxc_stream_synchronize(stream),
      mxc_buffer_upload(buffer, 0, bytes, 1),
      mxc_buffer_download(buffer, 0, bytes, 1),
      mxc_launch_enqueue(launch, nullptr),
      mxc_kernel_launch(kernel, given.data(), given.size(), nullptr),
      mxc_kernel_prepare(kernel, given.data(), given.size(), nullptr, &another),
      mxc_kernel_load(engine, kSource.data(), kSource.size(), nullptr, &loaded),
      mxc_buffer_create(engine, 64, &buffer),
      mxc_engine_trim(engine),
      mxc_launch_enqueue(reinterpret_cast<mxc_launch *>(bytes), nullptr),
  };
  for (mxc_status status : statuses)
    CHECK(status == MXC_USAGE);
  CHECK(std::string(mxc_last_error()) ==
        "launch is no handle that mxc made, or it was destroyed: expected a live one");
  CHECK((mxc_kernel_argument_count(kernel) == 0 && !*mxc_kernel_name(kernel) && !*mxc_engine_model(engine)));
  CHECK((mxc_stream_handle(stream) == nullptr && mxc_buffer_address(buffer) == 0));
  mxc_kernel_destroy(kernel); // a second time
  CHECK_THAT(mxc_last_error(), Contains("kernel was destroyed before"));
  mxc_engine_destroy(engine);
  CHECK(mxc_kernel_launch(host.kernel, given.data(), given.size(), nullptr) == MXC_OK); // the others live
}

TEST_CASE("C: a struct of any size is read as far as it goes, or refused", "[c]") {
  Host host;
  for (size_t size = 0; size <= 5000; ++size) {
    mxc_launch_options options = {};
    options.struct_size = size;
    std::vector<char> bytes(std::max(size, sizeof options));
    std::memcpy(bytes.data(), &options, sizeof options);
    const auto *given = reinterpret_cast<const mxc_launch_options *>(bytes.data());
    const mxc_status status =
        mxc_kernel_launch(host.kernel, host.arguments.data(), host.arguments.size(), given);
    INFO(size << ": " << mxc_last_error());
    CHECK(status == (size >= sizeof(size_t) && size <= 4096 && size % alignof(mxc_launch_options) == 0
                         ? MXC_OK
                         : MXC_USAGE));
  }
}

TEST_CASE("C: how a simulator runs is the engine's to say, and a GPU's not", "[c]") {
  mxc_engine_options options = {};
  options.struct_size = sizeof options;
  options.cache_folder = "";
  mxc_engine *engine = nullptr;
  options.checks = "strict", options.schedule = "random:7";
  REQUIRE(mxc_engine_create("simulator:sm_100a", &options, &engine) == MXC_OK);
  mxc_engine_destroy(engine);
  options.checks = "standard", options.schedule = "eager"; // as other cases expect it
  REQUIRE(mxc_engine_create("simulator:sm_100a", &options, &engine) == MXC_OK);
  mxc_engine_destroy(engine);

  options.checks = "some";
  CHECK(mxc_engine_create("simulator:sm_100a", &options, &engine) == MXC_USAGE);
  CHECK_THAT(mxc_last_error(), Contains("checks 'some': expected off, standard or strict"));
  options.checks = nullptr, options.schedule = "late";
  CHECK(mxc_engine_create("simulator:sm_100a", &options, &engine) == MXC_USAGE);
  CHECK_THAT(mxc_last_error(), Contains("schedule 'late': expected eager, lazy,"));
  CHECK(mxc_engine_create("cuda:0", &options, &engine) == MXC_USAGE);
  CHECK_THAT(mxc_last_error(), Contains("a simulator's, but the device is cuda:0"));
}
