#include "runtime/Environment.h"

#include <catch2/catch.hpp>

#include <cstdlib>

using namespace mxc;

TEST_CASE("every environment variable has a name and a meaning", "[environment]") {
  REQUIRE(!environmentVariables().empty());
  for (const EnvironmentEntry &entry : environmentVariables()) {
    CHECK(std::string_view(entry.name).starts_with("MXC_"));
    CHECK(!entry.meaning.empty());
  }
}

TEST_CASE("an environment variable is read when asked for, and empty is unset", "[environment]") {
  setenv("MXC_LIBCUDA", "/somewhere/libcuda.so", 1);
  CHECK(environment(EnvironmentVariable::LibCuda) == "/somewhere/libcuda.so");
  setenv("MXC_LIBCUDA", "", 1);
  CHECK(environment(EnvironmentVariable::LibCuda) == std::nullopt);
  unsetenv("MXC_LIBCUDA");
  CHECK(environment(EnvironmentVariable::LibCuda) == std::nullopt);
}
