# cmake -DSOURCE=FOLDER -DOUTPUT=FILE -P WriteCommit.cmake: writes Commit.cpp with the commit that is checked out; leaves the file
# alone where it is right.
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
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
