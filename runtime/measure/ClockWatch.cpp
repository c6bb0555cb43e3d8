#include "runtime/measure/ClockWatch.h"

#include <algorithm>
#include <cstdio>
#include <dlfcn.h>

namespace mxc::measure {

namespace {

// NVML's C interface as nvml.h declares it; not every toolkit has the header.
constexpr int kClockMultiprocessor = 1, kClockMemory = 2; // NVML_CLOCK_SM, NVML_CLOCK_MEM
constexpr uint64_t kIdle = 1, kApplicationsSetting = 2, kPowerLimit = 4, kHardwareSlowdown = 8,
                   kThermal = 0x20, kHardwareThermal = 0x40, kPowerBrake = 0x80;

struct Nvml {
  int (*init)() = nullptr;
  int (*deviceByBus)(const char *busId, void **device) = nullptr;
  int (*clock)(void *device, int type, unsigned *megahertz) = nullptr;
  int (*throttling)(void *device, unsigned long long *reasons) = nullptr;
  std::string problem;

  Nvml() {
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      problem = "there is no libnvidia-ml.so.1";
      return;
    }
    auto find = [&](auto &function, const char *symbol) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, symbol));
      if (!function) problem = std::string("libnvidia-ml.so.1 has no ") + symbol;
    };
    find(init, "nvmlInit_v2");
    find(deviceByBus, "nvmlDeviceGetHandleByPciBusId_v2");
    find(clock, "nvmlDeviceGetClockInfo");
    find(throttling, "nvmlDeviceGetCurrentClocksThrottleReasons");
    if (problem.empty() && init() != 0) problem = "NVML does not start";
  }
  static const Nvml &instance() {
    static const Nvml nvml; // stays loaded, as the driver does
    return nvml;
  }
};

/// Returns "0000:19:00.0", by which NVML and the driver know the same device; "" if the driver does not say.
std::string busId(const Device &device) {
  const Driver &driver = device.driver();
  CUdevice number = 0;
  int domain = 0, bus = 0, slot = 0;
  for (CUresult result : {driver.cuDeviceGet(&number, device.ordinal()),
                          driver.cuDeviceGetAttribute(&domain, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, number),
                          driver.cuDeviceGetAttribute(&bus, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, number),
                          driver.cuDeviceGetAttribute(&slot, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, number)})
    if (result != CUDA_SUCCESS) return "";
  char text[64];
  std::snprintf(text, sizeof text, "%08x:%02x:%02x.0", static_cast<unsigned>(domain),
                static_cast<unsigned>(bus), static_cast<unsigned>(slot));
  return text;
}

std::string rangeText(unsigned lowest, unsigned highest) {
  return (lowest == highest ? "" : std::to_string(lowest) + " to ") + std::to_string(highest);
}

std::string throttlingText(uint64_t reasons) {
  std::string text;
  for (auto [bit, name] : {std::pair(kPowerLimit, "power limit"),
                           {kHardwareSlowdown, "hardware slowdown"},
                           {kThermal, "thermal limit"},
                           {kHardwareThermal, "hardware thermal limit"},
                           {kPowerBrake, "power brake"}})
    if (reasons & bit) text += (text.empty() ? "" : ", ") + std::string(name);
  return text.empty() ? "" : " (" + text + ")";
}

} // namespace

void ClockMean::add(const ClockReading &reading) {
  ++readings_;
  multiprocessor_ += reading.multiprocessorMegahertz;
  memory_ += reading.memoryMegahertz;
  throttling_ |= reading.throttling;
}

std::optional<ClockReading> ClockMean::value() const {
  if (readings_ == 0) return std::nullopt;
  const auto mean = [&](uint64_t sum) { return static_cast<unsigned>((sum + readings_ / 2) / readings_); };
  return ClockReading{mean(multiprocessor_), mean(memory_), throttling_};
}

void ClockRange::addAll(const ClockRange &range) {
  if (range.readings == 0) {
    if (readings == 0) unknown = range.unknown;
    return;
  }
  const int all = readings + range.readings;
  add(range.lowest);
  add(range.highest);
  readings = all;
}

void ClockRange::add(const ClockReading &reading) {
  if (readings++ == 0) lowest = highest = reading;
  auto widen = [&](unsigned ClockReading::*clock) {
    lowest.*clock = std::min(lowest.*clock, reading.*clock);
    highest.*clock = std::max(highest.*clock, reading.*clock);
  };
  widen(&ClockReading::multiprocessorMegahertz);
  widen(&ClockReading::memoryMegahertz);
  lowest.throttling = highest.throttling |= reading.throttling;
}

double ClockRange::movement() const {
  auto moved = [](unsigned low, unsigned high) { return high ? double(high - low) / double(high) : 0; };
  return std::max(moved(lowest.multiprocessorMegahertz, highest.multiprocessorMegahertz),
                  moved(lowest.memoryMegahertz, highest.memoryMegahertz));
}

std::string ClockRange::text() const {
  if (readings == 0) return "unknown: " + unknown;
  return multiprocessorText() + " MHz" + throttlingText(highest.throttling) + ", memory " +
         rangeText(lowest.memoryMegahertz, highest.memoryMegahertz) + " MHz";
}

std::string ClockRange::multiprocessorText() const {
  return readings ? rangeText(lowest.multiprocessorMegahertz, highest.multiprocessorMegahertz) : "";
}

ClockWatch::ClockWatch(const Device &device) {
  if (!device.driver().takesCubins) {
    unknown_ = device.name() + " has no clocks of its own";
    return;
  }
  const Nvml &nvml = Nvml::instance();
  unknown_ = nvml.problem;
  if (!unknown_.empty()) return;
  const std::string bus = busId(device);
  if (bus.empty() || nvml.deviceByBus(bus.c_str(), &handle_) != 0)
    unknown_ = "NVML does not know the device at " + (bus.empty() ? "an unknown place" : bus);
  else if (!read())
    unknown_ = "NVML does not tell the clocks of " + bus;
}

std::optional<ClockReading> ClockWatch::read() const {
  if (!handle_) return std::nullopt;
  const Nvml &nvml = Nvml::instance();
  ClockReading reading;
  unsigned long long reasons = 0;
  if (nvml.clock(handle_, kClockMultiprocessor, &reading.multiprocessorMegahertz) != 0 ||
      nvml.clock(handle_, kClockMemory, &reading.memoryMegahertz) != 0)
    return std::nullopt;
  if (nvml.throttling(handle_, &reasons) == 0) reading.throttling = reasons & ~(kIdle | kApplicationsSetting);
  return reading;
}

} // namespace mxc::measure
