// Choices of tiles by way of the C interface.
#include "tests/unit/c/Host.h"
#include "tests/unit/runtime/TemporaryFolder.h"

using Catch::Contains;

static const std::string kBundle =
    R"({"mxcTuning": 1, "choices": [{"kernel": "00", "device": "NVIDIA H200", "multiprocessors": 132,
        "bucket": "M <= 8", "build": "b", "assembler": "auto", "tile": "warps = 2", "shape": "M = 8",
        "measure": "counts", "score": 1, "seconds": 1}]})";

TEST_CASE("C: a tuning bundle is taken over, and an engine goes by the database", "[c]") {
  TemporaryFolder folder;
  const std::string bundle = folder.write("bundle.json", kBundle), file = folder.file("tuning.sqlite");
  INFO(mxc_last_error());
  REQUIRE(mxc_tuning_import(bundle.c_str(), file.c_str()) == MXC_OK);
  CHECK(std::filesystem::exists(file));
  mxc_engine_options options = {};
  options.struct_size = sizeof options;
  options.cache_folder = "";
  options.tuning_file = file.c_str();
  mxc_engine *engine = nullptr;
  mxc_kernel *kernel = nullptr;
  REQUIRE(mxc_engine_create("simulator:sm_100a", &options, &engine) == MXC_OK);
  CHECK(mxc_kernel_load(engine, kSource.data(), kSource.size(), nullptr, &kernel) == MXC_OK);
  mxc_kernel_destroy(kernel);
  mxc_engine_destroy(engine);
}

TEST_CASE("C: what is no bundle, and nowhere to keep it", "[c]") {
  TemporaryFolder folder;
  const std::string bundle = folder.write("bundle.json", kBundle);
  CHECK(mxc_tuning_import(nullptr, nullptr) == MXC_USAGE);
  CHECK(mxc_tuning_import(folder.file("missing").c_str(), folder.file("db").c_str()) == MXC_INVALID_INPUT);
  CHECK(mxc_tuning_import(folder.write("text", "text").c_str(), folder.file("db").c_str()) ==
        MXC_INVALID_INPUT);
  CHECK_THAT(mxc_last_error(), Contains("expected a tuning bundle"));
  CHECK(mxc_tuning_import(bundle.c_str(), "/dev/null/db") == MXC_INVALID_INPUT);
  CHECK_THAT(mxc_last_error(), Contains("cannot write /dev/null/db"));
  CHECK(mxc_tuning_import(bundle.c_str(), "") == MXC_USAGE);
  CHECK_THAT(mxc_last_error(), Contains("tuning_file is empty: expected a file, or NULL for the user's"));
}
