// MXC_HOST_VECTORS before a function: compiled for the host's wide vectors too, and chosen when the program
// starts. Without it loops over lanes use what every x86-64 has.
#pragma once

#ifdef __x86_64__
#define MXC_HOST_VECTORS __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define MXC_HOST_VECTORS
#endif
