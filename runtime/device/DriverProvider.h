// Drivers that a program brings with it, in addition to the machine's own.
#pragma once

#include "runtime/device/Driver.h"

#include <string>
#include <string_view>

namespace mxc {

/// Returns the table for a device: `which` is the "sm_100a" of "simulator:sm_100a". The table lives as long
/// as the process. Throws mxc::Error for a device that it does not have.
using DriverProvider = const Driver &(*)(const std::string &which);

/// From now on openDevice asks `provider` for devices of `kind` ("simulator"). Any thread may call it.
/// Linking mxc_runtime_simulator registers "simulator" before main.
void registerDriverProvider(std::string_view kind, DriverProvider provider);

/// Throws mxc::Error (Device) if no provider of that kind is registered: it names the library to link.
const Driver &providedDriver(std::string_view kind, const std::string &which);

} // namespace mxc
