// Files that want to be misread. Each is refused, and the message says what and where.
#include "runtime/files/Safetensors.h"
#include "tests/unit/runtime/Failure.h"
#include "tests/unit/runtime/TemporaryFolder.h"

#include <cstring>

using namespace mxc;
using Catch::Contains;

static TensorFile parse(const std::string &bytes) {
  FileBytes file{std::make_unique<std::byte[]>(bytes.size() + 1), bytes.size()};
  std::memcpy(file.data.get(), bytes.data(), bytes.size());
  return TensorFile::fromBytes(std::move(file), "f.safetensors");
}
static std::string withLength(uint64_t length, const std::string &rest) {
  return std::string(reinterpret_cast<const char *>(&length), 8) + rest;
}
static std::string refusal(const std::string &bytes) {
  std::string message = invalidInput([&] { parse(bytes); });
  CHECK_THAT(message, Catch::StartsWith("f.safetensors: "));
  return message;
}
/// A file of this header and so many bytes of data.
static std::string refusal(const std::string &header, size_t dataBytes) {
  return refusal(withLength(header.size(), header + std::string(dataBytes, 'x')));
}
/// A file of one tensor "a".
static std::string tensorRefusal(const std::string &dtype, const std::string &shape,
                                 const std::string &offsets, size_t dataBytes) {
  return refusal(R"({"a":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets +
                     "}}",
                 dataBytes);
}
static std::string u8(const std::string &name, int begin, int end) {
  return "\"" + name + R"(":{"dtype":"U8","shape":[)" + std::to_string(end - begin) +
         R"(],"data_offsets":[)" + std::to_string(begin) + "," + std::to_string(end) + "]}";
}

TEST_CASE("files that cannot be read", "[safetensors][hostile]") {
  CHECK_THAT(invalidInput([] { TensorFile::read("/nonexistent/f"); }),
             Contains("cannot read /nonexistent/f"));
  CHECK_THAT(invalidInput([] { TensorFile::read("/tmp"); }), Contains("it is a folder"));
}

TEST_CASE("truncated and lying lengths of the header", "[safetensors][hostile]") {
  CHECK_THAT(refusal(""), Contains("expected at least 8 bytes, found 0"));
  CHECK_THAT(refusal(std::string(7, '\0')), Contains("found 7"));
  CHECK_THAT(refusal(withLength(3, "{}")), Contains("found a length of 3"));
  CHECK_THAT(refusal(withLength(UINT64_MAX, "{}")), Contains("found a length of 18446744073709551615"));
  CHECK_THAT(refusal(withLength(UINT64_MAX - 7, "{}")), Contains("found a length of"));
  CHECK_THAT(refusal(withLength(100'000'001, std::string(100'000'001, ' '))), Contains("100 MB"));
  CHECK_THAT(refusal(withLength(0, "")), Contains("invalid JSON"));
}

TEST_CASE("text that is not JSON", "[safetensors][hostile]") {
  for (std::string header :
       {"{", "}", "{]", "{\"a\":}", "{}{}", "{} x", "{\"a\"", "{'a':1}", "{\"\\ud800\":{}}", "{\"\xff\":{}}",
        "{\"a\":{\"dtype\":\"U8\",}}", "\xef\xbb\xbf\xef\xbb\xbf{}"}) {
    INFO(header);
    CHECK_THAT(refusal(header, 0), Contains("invalid JSON at byte"));
  }
  CHECK_THAT(refusal(std::string("{}\0", 3), 0), Contains("invalid JSON"));
  CHECK_NOTHROW(parse(withLength(8, "{}      ")));
}

TEST_CASE("JSON of another form", "[safetensors][hostile]") {
  CHECK_THAT(refusal("[]", 0), Contains("expected an object, found an array"));
  CHECK_THAT(refusal("null", 0), Contains("expected an object, found null"));
  CHECK_THAT(refusal("7", 0), Contains("expected an object, found number 7"));
  CHECK_THAT(refusal(R"({"a":"b"})", 0), Contains("'a': expected an object, found string 'b'"));
  CHECK_THAT(refusal(R"({"a":[]})", 0), Contains("'a': expected an object, found an array"));
  CHECK_THAT(refusal(R"({"a":{"dtype":{}}})", 0),
             Contains("tensor 'a': dtype: expected a string, found an object"));
  CHECK_THAT(refusal(R"({"a":{"dtype":["U8"]}})", 0), Contains("dtype: expected a string, found an array"));
  CHECK_THAT(refusal(R"({"a":{"shape":3}})", 0), Contains("shape: expected an array, found number 3"));
  CHECK_THAT(refusal(R"({"a":{"strides":[1]}})", 0), Contains("found key 'strides'"));
  CHECK_THAT(refusal(R"({"a":{"dtype":"U8","shape":[0]}})", 0), Contains("key 'data_offsets' is missing"));
  CHECK_THAT(refusal(R"({"a":{}})", 0), Contains("key 'dtype' is missing"));
}

TEST_CASE("deep nesting is refused where it begins", "[safetensors][hostile]") {
  std::string deep(1'000'000, '[');
  CHECK_THAT(refusal(deep, 0), Contains("found an array"));
  CHECK_THAT(refusal("{\"a\":{\"shape\":" + deep, 0), Contains("shape: expected non-negative integers"));
  std::string objects;
  for (int i = 0; i < 100'000; ++i)
    objects += "{\"a\":";
  CHECK_THAT(refusal(objects, 0), Contains("tensor 'a'"));
}

TEST_CASE("metadata must be strings", "[safetensors][hostile]") {
  CHECK_THAT(refusal(R"({"__metadata__":{"k":1}})", 0),
             Contains("metadata 'k': expected a string, found number 1"));
  CHECK_THAT(refusal(R"({"__metadata__":{"k":{}}})", 0),
             Contains("metadata 'k': expected a string, found an object"));
  CHECK_THAT(refusal(R"({"__metadata__":"k"})", 0), Contains("expected an object"));
  CHECK(parse(withLength(26, R"({"__metadata__":{"k":"v"}})")).metadata().at("k") == "v");
}

TEST_CASE("keys that stand there twice", "[safetensors][hostile]") {
  CHECK_THAT(refusal("{" + u8("a", 0, 1) + "," + u8("a", 1, 2) + "}", 2), Contains("'a' stands there twice"));
  CHECK_THAT(refusal("{" + u8("a", 0, 1) + "," + u8("\\u0061", 1, 2) + "}", 2),
             Contains("'a' stands there twice"));
  CHECK_THAT(refusal(R"({"__metadata__":{},"__metadata__":{}})", 0),
             Contains("'__metadata__' stands there twice"));
  CHECK_THAT(refusal(R"({"__metadata__":{"k":"1","k":"2"}})", 0),
             Contains("metadata key 'k' stands there twice"));
  CHECK_THAT(refusal(R"({"a":{"dtype":"U8","dtype":"I8"}})", 0),
             Contains("tensor 'a': key 'dtype' stands there twice"));
  CHECK_THAT(refusal(R"({"a":{"shape":[],"shape":[]}})", 0), Contains("key 'shape' stands there twice"));
}

TEST_CASE("empty names and unknown dtypes", "[safetensors][hostile]") {
  CHECK_THAT(refusal("{" + u8("", 0, 1) + "}", 1), Contains("empty tensor name"));
  CHECK_THAT(tensorRefusal(R"("U7")", "[1]", "[0,1]", 1), Contains("tensor 'a': unknown dtype 'U7'"));
  CHECK_THAT(tensorRefusal(R"("u8")", "[1]", "[0,1]", 1), Contains("unknown dtype 'u8'"));
  CHECK_THAT(tensorRefusal(R"("")", "[1]", "[0,1]", 1), Contains("unknown dtype ''"));
}

TEST_CASE("shapes that are negative, fractional or too large", "[safetensors][hostile]") {
  CHECK_THAT(tensorRefusal(R"("U8")", "[-1]", "[0,1]", 1),
             Contains("shape") && Contains("negative number -1"));
  CHECK_THAT(tensorRefusal(R"("U8")", "[1.5]", "[0,1]", 1), Contains("number 1.5"));
  CHECK_THAT(tensorRefusal(R"("U8")", "[1e0]", "[0,1]", 1), Contains("number 1e0"));
  CHECK_THAT(tensorRefusal(R"("U8")", "[\"1\"]", "[0,1]", 1), Contains("string '1'"));
  CHECK_THAT(tensorRefusal(R"("U8")", "[true]", "[0,1]", 1), Contains("a boolean"));
  CHECK_THAT(tensorRefusal(R"("U8")", "[9223372036854775808]", "[0,1]", 1), Contains("exceeds 2^63-1"));
  CHECK_THAT(tensorRefusal(R"("U8")", "[99999999999999999999999]", "[0,1]", 1),
             Contains("expected non-negative integers"));
  CHECK_THAT(tensorRefusal(R"("U8")", "[1e999]", "[0,1]", 1), Contains("invalid JSON"));
  CHECK_THAT(tensorRefusal(R"("U8")", "[4294967296,4294967296]", "[0,1]", 1),
             Contains("exceeds 2^63-1 bits"));
  // Multiplied as 64 bits these would wrap to one byte.
  CHECK_THAT(tensorRefusal(R"("U8")", "[6148914691236517205,6148914691236517205]", "[0,1]", 1),
             Contains("exceeds"));
}

TEST_CASE("data that shape and dtype do not account for", "[safetensors][hostile]") {
  CHECK_THAT(tensorRefusal(R"("BF16")", "[2,3]", "[0,11]", 11),
             Contains("tensor 'a': shape [2, 3] of BF16: expected 12 bytes, found 11"));
  CHECK_THAT(tensorRefusal(R"("F32")", "[]", "[0,0]", 0), Contains("expected 4 bytes, found 0"));
  CHECK_THAT(tensorRefusal(R"("F32")", "[0]", "[0,4]", 4), Contains("expected 0 bytes, found 4"));
  CHECK_THAT(tensorRefusal(R"("F6_E2M3")", "[3]", "[0,3]", 3),
             Contains("expected whole bytes, found 18 bits"));
}

TEST_CASE("ranges outside the file", "[safetensors][hostile]") {
  CHECK_THAT(tensorRefusal(R"("U8")", "[2]", "[0,2]", 1),
             Contains("tensor 'a': expected data within the file's 1 bytes, found [0, 2)"));
  CHECK_THAT(tensorRefusal(R"("U8")", "[1]", "[2,1]", 4), Contains("found [2, 1)"));
  CHECK_THAT(tensorRefusal(R"("U8")", "[1]", "[18446744073709551615,0]", 4),
             Contains("expected data within"));
  CHECK_THAT(tensorRefusal(R"("U8")", "[1]", "[18446744073709551614,18446744073709551615]", 4),
             Contains("expected data within"));
  CHECK_THAT(tensorRefusal(R"("U8")", "[1]", "[0]", 1),
             Contains("data_offsets: expected 2 numbers, found 1"));
  CHECK_THAT(tensorRefusal(R"("U8")", "[1]", "[0,1,2]", 1), Contains("expected 2 numbers, found 3"));
  CHECK_THAT(tensorRefusal(R"("U8")", "[1]", "[-1,0]", 1),
             Contains("data_offsets") && Contains("negative number -1"));
}

TEST_CASE("overlaps, holes and left-over bytes", "[safetensors][hostile]") {
  CHECK_THAT(refusal("{" + u8("a", 0, 3) + "," + u8("b", 2, 4) + "}", 4),
             Contains("tensor 'b': expected data from byte 3 on, found [2, 4), an overlap"));
  CHECK_THAT(refusal("{" + u8("a", 0, 3) + "," + u8("b", 0, 3) + "}", 3), Contains("an overlap"));
  CHECK_THAT(refusal("{" + u8("a", 0, 1) + "," + u8("b", 2, 4) + "}", 4),
             Contains("tensor 'b'") && Contains("a hole"));
  CHECK_THAT(refusal("{" + u8("a", 1, 2) + "}", 2), Contains("a hole"));
  CHECK_THAT(refusal("{" + u8("a", 0, 1) + "}", 2), Contains("expected 1 bytes of data, found 2"));
  CHECK_THAT(refusal("{}", 1), Contains("expected 0 bytes of data, found 1"));
}

TEST_CASE("no prefix and no changed byte of a good file crashes", "[safetensors][hostile]") {
  std::string header = "{" + u8("a", 0, 3) + "," + u8("b", 3, 4) + R"(,"__metadata__":{"k":"v"}})";
  std::string good = withLength(header.size(), header + "data");
  CHECK_NOTHROW(parse(good));
  for (size_t i = 0; i < good.size(); ++i)
    CHECK_THROWS_AS(parse(good.substr(0, i)), Error);
  for (size_t i = 0; i < good.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string bent = good;
      bent[i] ^= static_cast<char>(1 << bit);
      try {
        parse(bent);
      } catch (const Error &) { // anything else fails the test
      }
    }
}
