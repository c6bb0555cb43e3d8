# cmake -D IN=text -D OUT=text.cpp -D NAME=symbol -P EmbedText.cmake: the text as a C++ string.
file(READ ${IN} text)
file(WRITE ${OUT} "extern const char *const ${NAME};\nconst char *const ${NAME} = R\"text(${text})text\";\n")
