#include "dialect/formats/PrintableText.h"

#include <catch2/catch.hpp>

using mxc::printable;

TEST_CASE("text of strangers holds nothing that a terminal obeys") {
  CHECK(printable("a\tb\nc") == "a\tb\nc");
  CHECK(printable("\x1b[31m\x7f\r") == "\\x1b[31m\\x7f\\x0d");
  CHECK(printable(std::string_view("\0x", 2)) == "\\x00x");
  CHECK(printable("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80") ==
        "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  CHECK(printable("\xc2\x9b") == "\\x9b"); // U+009B, which begins a sequence as ESC [ does
  CHECK(printable("\x9b"
                  "31m") == "\\x9b"
                            "31m");                      // likewise where a terminal takes bytes
  CHECK(printable("\xc3") == "\\xc3");                   // cut off
  CHECK(printable("\xc0\x9b") == "\\xc0\\x9b");          // overlong
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80"); // a surrogate
  CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
}
