// What an mxc::Error says.
#pragma once

#include "dialect/formats/Error.h"

#include <catch2/catch.hpp>

#include <string>

/// Runs `action`, which must throw an mxc::Error of this kind, and returns its message.
template <typename Action> std::string failure(mxc::ErrorKind kind, Action &&action) {
  try {
    action();
  } catch (const mxc::Error &error) {
    INFO(error.what());
    CHECK(static_cast<int>(error.kind()) == static_cast<int>(kind));
    return error.what();
  }
  FAIL("nothing was thrown");
  return {};
}

template <typename Action> std::string invalidInput(Action &&action) {
  return failure(mxc::ErrorKind::InvalidInput, action);
}
