# cmake -DINPUT=FILE -DOUTPUT=FILE -P EmbedText.cmake: a text as a C++ string literal, to be included where one may stand.
file(READ ${INPUT} text)
file(WRITE ${OUTPUT} "R\"mxc_text(${text})mxc_text\"\n")
