// The commit that this build was made of.
#pragma once

namespace mxc {

const char *commit(); // "623a2bacb088", "623a2bacb088 with changes", "unknown" outside of a repository

} // namespace mxc
