// The names of special registers (PTX ISA, "Special Registers").
#pragma once

#include <cstdint>
#include <string_view>

namespace mxc::sim::ptx {

enum class SpecialRegister : uint8_t { None, Scalar, Vector };

/// What `name`, without its %, is: a vector is read by component, `%tid.x`.
SpecialRegister specialRegister(std::string_view name);

} // namespace mxc::sim::ptx
