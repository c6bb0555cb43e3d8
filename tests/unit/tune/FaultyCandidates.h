// A tuning in which candidates fault or never end, on any device.
#pragma once

#include <string>

/// The first candidate traps, the second stores to address 64, the third never ends: that each is refused for
/// it and another one is chosen is checked. In processes of their own: the calling one has no other threads
/// and has started no driver.
void tuneFaultyCandidates(const std::string &deviceName);
