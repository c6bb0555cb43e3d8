#include "tests/unit/runtime/Conformance.h"

mxc::Device conformanceDevice() { return mxc::openDevice("simulator:sm_100a"); }
