// Kernels loaded, asked about and launched.
#include "tests/unit/c/Host.h"
#include "tests/unit/runtime/TemporaryFolder.h"

#include <thread>

using Catch::Contains;

TEST_CASE("C: a launch by the arguments' names", "[c]") {
  Host host;
  CHECK(host.launch() == MXC_OK);
  CHECK(host.isQuantized());
  CHECK_THAT(mxc_engine_model(host.engine), Contains("B200"));
  CHECK(mxc_engine_trim(host.engine) == MXC_OK);
}

TEST_CASE("C: whether parts of a product are one launch is the chip's to say", "[c]") {
  Host host; // sm_100a: of many rows
  int joins = 7;
  REQUIRE(mxc_engine_joins_parts(host.engine, 56 * 8, 8, 1, &joins) == MXC_OK);
  CHECK(joins == 0);
  REQUIRE(mxc_engine_joins_parts(host.engine, 56 * 8 + 1, 8, 0, &joins) == MXC_OK);
  CHECK(joins == 1);
  mxc_engine *hopper = nullptr; // of few rows, along rows
  REQUIRE(mxc_engine_create("simulator:sm_90a", nullptr, &hopper) == MXC_OK);
  for (int alongRows : {0, 1})
    for (int64_t rows : {56 * 8, 56 * 8 + 1}) {
      REQUIRE(mxc_engine_joins_parts(hopper, rows, 8, alongRows, &joins) == MXC_OK);
      CHECK(joins == (alongRows && rows == 56 * 8));
    }
  mxc_engine_destroy(hopper);
  CHECK(mxc_engine_joins_parts(nullptr, 1, 1, 1, &joins) == MXC_USAGE);
  CHECK(mxc_engine_joins_parts(host.engine, 1, 1, 1, nullptr) == MXC_USAGE);
  CHECK(mxc_engine_joins_parts(host.engine, 1, 0, 1, &joins) == MXC_USAGE);
  CHECK_THAT(mxc_last_error(), Contains("expected rows from 0 on and groups from 1 on, found 1 and 0"));
}

TEST_CASE("C: a kernel tells what it takes", "[c]") {
  Host host;
  CHECK(mxc_kernel_name(host.kernel) == std::string("k"));
  REQUIRE(mxc_kernel_argument_count(host.kernel) == 3);
  mxc_argument_info info = {};
  info.struct_size = sizeof info;
  REQUIRE(mxc_kernel_argument(host.kernel, 2, &info) == MXC_OK);
  CHECK(info.name == std::string("s"));
  CHECK(info.type == std::string("ue8m0"));
  CHECK(info.kind == MXC_TENSOR);
  CHECK(info.is_output == 1);
  CHECK(info.rank == 2);
  int64_t shape[MXC_MAXIMUM_RANK];
  int rank = 0;
  REQUIRE(mxc_kernel_shape(host.kernel, host.arguments.data(), 1, 2, shape, &rank) == MXC_OK);
  CHECK(rank == 2);
  CHECK(shape[0] == 8);
  CHECK(shape[1] == 2);
  CHECK(mxc_kernel_shape(host.kernel, nullptr, 0, 2, shape, &rank) == MXC_INVALID_INPUT);
}

TEST_CASE("C: what does not fit is refused by name", "[c]") {
  Host host;
  host.scales[1] = 3;
  CHECK(host.launch() == MXC_INVALID_INPUT);
  CHECK_THAT(mxc_last_error(), Contains("'s'") && Contains("[8, 2]") && Contains("[8, 3]"));
  host.scales[1] = 2;
  host.arguments[0].type = "f32";
  CHECK(host.launch() == MXC_INVALID_INPUT);
  CHECK_THAT(mxc_last_error(), Contains("'x'"));
  host.arguments[0].rank = 6;
  CHECK(host.launch() == MXC_INVALID_INPUT);
}

static const std::string kTotals =
    "mx.kernel @t(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %a: "
    "memref<1xf32>) {\n"
    "  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)\n"
    "      amax(%a : memref<1xf32>)\n}\n";

TEST_CASE("C: a workspace of the caller's", "[c]") {
  Host host;
  mxc_kernel_destroy(std::exchange(host.kernel, nullptr));
  REQUIRE(mxc_kernel_load(host.engine, kTotals.data(), kTotals.size(), nullptr, &host.kernel) == MXC_OK);
  mxc_argument_info info = {};
  info.struct_size = sizeof info;
  REQUIRE(mxc_kernel_argument(host.kernel, 4, &info) == MXC_OK);
  CHECK((info.kind == MXC_WORKSPACE && info.rank == 1));
  int64_t shape[MXC_MAXIMUM_RANK];
  int rank = 0;
  REQUIRE(mxc_kernel_shape(host.kernel, host.arguments.data(), 3, 4, shape, &rank) == MXC_OK);
  REQUIRE((rank == 1 && shape[0] == 8));

  const std::vector<char> zeros(512);
  const int64_t one[] = {1};
  mxc_buffer *buffer = nullptr;
  REQUIRE(mxc_buffer_create(host.engine, 512, &buffer) == MXC_OK);
  REQUIRE(mxc_buffer_upload(buffer, 0, zeros.data(), zeros.size()) == MXC_OK);
  const auto given = [&](const char *name, const char *type, uint64_t offset, const int64_t *sizes) {
    mxc_argument argument = {};
    argument.struct_size = sizeof argument;
    argument.name = name, argument.type = type, argument.shape = sizes, argument.rank = 1;
    argument.address = mxc_buffer_address(buffer) + offset;
    return argument;
  };
  std::vector<mxc_argument> arguments(host.arguments.begin(), host.arguments.end());
  arguments.push_back(given("a", "f32", 0, one));
  arguments.push_back(given(info.name, "u8", 256, shape));
  const auto launch = [&] { return mxc_kernel_launch(host.kernel, arguments.data(), 5, nullptr); };
  CHECK(launch() == MXC_OK);
  CHECK(launch() == MXC_OK); // it was left at zero
  float maximum = 0;
  CHECK(mxc_buffer_download(buffer, 0, &maximum, sizeof maximum) == MXC_OK);
  CHECK(maximum == 1);
  arguments.back().address += 1;
  CHECK(launch() == MXC_INVALID_INPUT);
  CHECK_THAT(mxc_last_error(),
             Contains("workspace 'mxc.amax'") && Contains("found one with the remainder 1"));
  arguments.back().address = 0;
  CHECK(launch() == MXC_INVALID_INPUT);
  CHECK_THAT(mxc_last_error(), Contains("null address for 8 bytes"));
  shape[0] = 7;
  CHECK(launch() == MXC_INVALID_INPUT);
  CHECK_THAT(mxc_last_error(), Contains("expected at least 8 bytes (8), found 7"));
  mxc_buffer_destroy(buffer);
}

TEST_CASE("C: a prepared launch on a stream, after its kernel and engine are gone", "[c]") {
  Host host;
  mxc_stream *stream = nullptr;
  mxc_launch *launch = nullptr;
  REQUIRE(mxc_stream_create(host.engine, &stream) == MXC_OK);
  REQUIRE(mxc_kernel_prepare(host.kernel, host.arguments.data(), 3, nullptr, &launch) == MXC_OK);
  mxc_kernel_destroy(std::exchange(host.kernel, nullptr));
  mxc_engine_destroy(std::exchange(host.engine, nullptr));
  CHECK(mxc_launch_enqueue(launch, mxc_stream_handle(stream)) == MXC_OK);
  CHECK(mxc_stream_synchronize(stream) == MXC_OK);
  CHECK(host.isQuantized());
  mxc_launch_destroy(launch);
  mxc_stream_destroy(stream);
}

TEST_CASE("C: eight threads with one engine", "[c]") {
  Host host;
  std::array<mxc_status, 8> statuses;
  std::vector<std::thread> threads;
  for (mxc_status &status : statuses)
    threads.emplace_back([&] {
      mxc_kernel *kernel = nullptr;
      status = mxc_kernel_load(host.engine, kSource.data(), kSource.size(), nullptr, &kernel);
      mxc_kernel_destroy(kernel);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (mxc_status status : statuses)
    CHECK(status == MXC_OK);
}

TEST_CASE("C: a relative folder stays where it was when the engine was made", "[c]") {
  TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::create_directory(folder.file("later"));
  mxc_engine_options options = {};
  options.struct_size = sizeof options;
  options.cache_folder = "kernels";
  mxc_engine *engine = nullptr;
  mxc_kernel *kernel = nullptr;
  std::filesystem::current_path(folder.file(""));
  CHECK(mxc_engine_create("simulator:sm_100a", &options, &engine) == MXC_OK);
  std::filesystem::current_path(folder.file("later"));
  CHECK(mxc_kernel_load(engine, kSource.data(), kSource.size(), nullptr, &kernel) == MXC_OK);
  std::filesystem::current_path(before);
  CHECK(std::filesystem::exists(folder.file("kernels")));
  CHECK(std::filesystem::is_empty(folder.file("later")));
  mxc_kernel_destroy(kernel);
  mxc_engine_destroy(engine);
}

TEST_CASE("C: compiling ahead, and loading what was compiled", "[c]") {
  Host host;
  mxc_compile_options options = {};
  options.struct_size = sizeof options;
  options.targets = "sm_100a";
  options.stage = "ptx";
  mxc_bytes *image = nullptr;
  REQUIRE(mxc_compile(kSource.data(), kSource.size(), &options, &image) == MXC_OK);
  mxc_kernel_destroy(std::exchange(host.kernel, nullptr));
  REQUIRE(mxc_kernel_load(host.engine, mxc_bytes_data(image), mxc_bytes_size(image), nullptr, &host.kernel) ==
          MXC_OK);
  mxc_bytes_destroy(image);
  CHECK(host.launch() == MXC_OK);
  CHECK(host.isQuantized());
  options.stage = "sass";
  CHECK(mxc_compile(kSource.data(), kSource.size(), &options, &image) == MXC_USAGE);
  CHECK_THAT(mxc_last_error(), Contains("stage 'sass': expected mlir, "));
}
