#include "tests/unit/runtime/Conformance.h"

mxc::Device conformanceDevice() { return mxc::openDevice("cuda:0"); }
