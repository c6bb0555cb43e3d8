// Tensor maps (CUtensorMap), encoded by the driver's own function.
#pragma once

#include "runtime/device/Device.h"
#include "runtime/launch/LaunchPlan.h"

namespace mxc {

/// Encodes `request` into the 128 bytes at `destination`, of any alignment. Throws mxc::Error (Device) if the
/// driver refuses; the message holds every value that it was given.
void encodeTensorMap(const Device &device, const TensorMapRequest &request, std::byte *destination);

} // namespace mxc
