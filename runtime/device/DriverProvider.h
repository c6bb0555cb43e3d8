// Drivers that a program brings along itself, beside the machine's own.
#pragma once

#include "runtime/device/Driver.h"

#include <string>
#include <string_view>

namespace mxc {

/// The table of a device: "sm_100a" of "simulator:sm_100a". It lives as long as the process. Throws
/// mxc::Error for what it does not have.
using DriverProvider = const Driver &(*)(const std::string &which);

/// What openDevice asks for devices of `kind` ("simulator"), from now on. Every thread may call it. Whoever
/// links mxc_runtime_simulator has "simulator" registered before main.
void registerDriverProvider(std::string_view kind, DriverProvider provider);

/// Throws mxc::Error (Device) if no provider of that kind is registered: it names the library to link.
const Driver &providedDriver(std::string_view kind, const std::string &which);

} // namespace mxc
