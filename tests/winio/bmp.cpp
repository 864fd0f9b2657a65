#include "bmp.hpp"

#include "catch.hpp"
#include "printing.hpp"

using namespace winio;

namespace {

Image two_rows() {
    Image image({1, 2});
    image.fill({0, 0, 1, 1}, {1, 2, 3, 255});
    image.fill({0, 1, 1, 1}, {4, 5, 6, 255});
    return image;
}

} // namespace

TEST_CASE("a bitmap file keeps every pixel") {
    const Image image = two_rows();
    const auto decoded = decode_bmp(encode_bmp(image.view()));
    REQUIRE(decoded.has_value());
    REQUIRE(decoded->size() == image.size());
    CHECK(decoded->at(0, 0) == image.at(0, 0));
    CHECK(decoded->at(0, 1) == image.at(0, 1));
}

TEST_CASE("a bitmap file is laid out as its format says") {
    const auto file = encode_bmp(two_rows().view());
    REQUIRE(file.size() == 14 + 40 + 8);
    CHECK(file[0] == 'B');
    CHECK(file[1] == 'M');
    CHECK(file[2] == file.size());
    CHECK(file[10] == 54);
    CHECK(file[54] == 4); // the bottom row comes first
    CHECK(file[58] == 1);
}

TEST_CASE("what is no bitmap file is none") {
    const auto file = encode_bmp(two_rows().view());
    for (std::size_t length = 0; length < file.size(); ++length)
        CHECK_FALSE(decode_bmp(std::span(file).first(length)).has_value());
    auto other = file;
    other[1] = 'A';
    CHECK_FALSE(decode_bmp(other).has_value());
}

TEST_CASE("an empty image is no bitmap file") {
    CHECK_THROWS_AS(encode_bmp({}), std::invalid_argument);
}
