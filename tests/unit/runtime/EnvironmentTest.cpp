#include "runtime/environment/Environment.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>

using namespace mxc;

TEST_CASE("every environment variable is read under its own name, and documented", "[environment]") {
  std::string documents;
  for (const char *name : {MXC_SOURCE_DIR "/docs/overview.md", MXC_SOURCE_DIR "/docs/simulator.md"}) {
    std::ifstream file(name);
    documents.append(std::istreambuf_iterator<char>(file), {});
  }
  for (int i = 0; i <= static_cast<int>(kLastEnvironmentVariable); ++i) {
    auto variable = static_cast<EnvironmentVariable>(i);
    int rows = 0;
    for (const EnvironmentEntry &entry : environmentVariables()) {
      if (entry.variable != variable) continue;
      ++rows;
      INFO(entry.name);
      CHECK(documents.find("`" + std::string(entry.name) + "`") != std::string::npos);
      std::optional<std::string> before = environment(variable);
      setenv(entry.name, ("value " + std::to_string(i)).c_str(), 1);
      CHECK(environment(variable) == "value " + std::to_string(i));
      for (const EnvironmentEntry &other : environmentVariables())
        if (other.variable != variable) CHECK(environment(other.variable) != environment(variable));
      before ? setenv(entry.name, before->c_str(), 1) : unsetenv(entry.name);
    }
    INFO("variable " << i);
    CHECK(rows == 1);
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
