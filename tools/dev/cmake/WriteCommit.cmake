# cmake -DSOURCE=FOLDER -DOUTPUT=FILE -P WriteCommit.cmake: writes Commit.cpp with the commit that is checked out; leaves the file
# alone where it is right. Below the root of another repository, whose commit says nothing of mxc, it is unknown.
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-prefix --short=12 HEAD
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
string(STRIP "${commit}" commit)
if(failed OR commit MATCHES "\n")
  set(commit unknown)
else()
  execute_process(COMMAND git -C ${SOURCE} diff --quiet HEAD RESULT_VARIABLE changed ERROR_QUIET)
  if(changed)
    string(APPEND commit " with changes")
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
#include "tools/mxc/Commit.h"
const char *mxc::commit() { return "@commit@"; }
]] @ONLY)
