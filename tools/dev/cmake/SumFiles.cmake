# cmake -DTEXT=TEXT -DFILES=FILE;... -DOUTPUT=FILE -P SumFiles.cmake: TEXT and a sum of what is in FILES, without their paths.
set(sums "")
foreach(file IN LISTS FILES)
  file(SHA256 ${file} sum)
  string(APPEND sums "${sum}\n")
endforeach()
string(SHA256 sum "${sums}")
file(WRITE ${OUTPUT} "${TEXT}: ${sum}\n")
