#include "dib.hpp"

#include "catch.hpp"
#include "printing.hpp"
#include "random_image.hpp"

#include "eyehand/winio/frame_diff.hpp"

#include <limits>
#include <random>

using namespace eyehand::winio;

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr Color red{0, 0, 255, 255};
constexpr Color green{0, 255, 0, 255};
constexpr Color blue{255, 0, 0, 255};
constexpr Color black{0, 0, 0, 255};

struct DibKind {
    int width = 2;
    int height = 1; // negative: top-down
    unsigned bits = 24;
    unsigned compression = 0;
    unsigned colors_used = 0;
    unsigned header_bytes = 40;
};

void append(Bytes& bytes, std::uint32_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
        bytes.push_back(static_cast<std::uint8_t>(value >> (8U * i)));
}

Bytes dib(const DibKind& kind, const Bytes& after_header) {
    Bytes bytes;
    append(bytes, kind.header_bytes, 4);
    append(bytes, static_cast<std::uint32_t>(kind.width), 4);
    append(bytes, static_cast<std::uint32_t>(kind.height), 4);
    append(bytes, 1, 2);
    append(bytes, kind.bits, 2);
    append(bytes, kind.compression, 4);
    for (int i = 0; i < 3; ++i) append(bytes, 0, 4);
    append(bytes, kind.colors_used, 4);
    append(bytes, 0, 4);
    bytes.insert(bytes.end(), after_header.begin(), after_header.end());
    return bytes;
}

std::vector<Color> colors_of(const Bytes& bytes) {
    const auto image = decode_dib(bytes);
    REQUIRE(image);
    std::vector<Color> colors;
    for (int y = 0; y < image->height(); ++y)
        for (int x = 0; x < image->width(); ++x) colors.push_back(image->at(x, y));
    return colors;
}

} // namespace

TEST_CASE("a DIB preserves its pixels and is opaque") {
    for (const Size size : {Size{1, 1}, Size{3, 2}, Size{17, 5}}) {
        const Image image = random_image(size, 1);
        const auto back = decode_dib(encode_dib(image.view()));
        REQUIRE(back);
        CHECK(back->size() == size);
        CHECK(same_pixels(back->view(), image.view()));
        CHECK(back->at(0, 0).alpha == 255);
    }
}

TEST_CASE("a DIB is written bottom-up with opaque pixels, 32 bits each") {
    Image image({1, 2});
    image.fill({0, 0, 1, 1}, {1, 2, 3, 0});
    image.fill({0, 1, 1, 1}, {4, 5, 6, 0});
    CHECK(encode_dib(image.view()) == Bytes{40, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0,   1, 0, 32, 0,
                                            0,  0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0,   0, 0, 0,  0,
                                            0,  0, 0, 0, 0, 0, 0, 0, 4, 5, 6, 255, 1, 2, 3,  255});
}

TEST_CASE("an empty image cannot be a DIB") {
    CHECK_THROWS_AS(encode_dib(ImageView{}), std::invalid_argument);
}

TEST_CASE("an image whose DIB would exceed 4 GB is refused without reading it") {
    const std::uint8_t byte = 0; // never read
    const ImageView huge(&byte, {1 << 15, 1 << 15}, std::size_t{1} << 17U);
    CHECK_THROWS_AS(encode_dib(huge), std::invalid_argument);
}

TEST_CASE("rows of 24 bits are padded to four bytes") {
    const Bytes rows{0, 0, 255, 0, 255, 0, 9, 9, 255, 0, 0, 0, 0, 0, 9, 9};
    CHECK(colors_of(dib({.height = 2}, rows)) == std::vector{blue, black, red, green});
    CHECK(colors_of(dib({.height = -2}, rows)) == std::vector{red, green, blue, black});
}

TEST_CASE("the fourth byte of 32 bits is not alpha") {
    CHECK(colors_of(dib({.bits = 32}, {0, 0, 255, 0, 255, 0, 0, 7})) == std::vector{red, blue});
}

TEST_CASE("bit fields after the shortest header define the colors") {
    const Bytes masks_and_row{0xFF, 0, 0, 0, 0, 0xFF, 0,   0, 0, 0, 0xFF, 0, // red is lowest
                              255,  0, 0, 0, 0, 0,    255, 0};
    CHECK(colors_of(dib({.bits = 32, .compression = 3}, masks_and_row)) == std::vector{red, blue});
}

TEST_CASE("bit fields within a longer header define the colors") {
    Bytes rest{0, 0, 0xFF, 0, 0, 0xFF, 0, 0, 0xFF, 0, 0, 0}; // the masks, in bytes 40 to 51
    rest.resize(124 - 40);
    for (const int byte : {0, 0, 255, 0, 0, 255, 0, 0})
        rest.push_back(static_cast<std::uint8_t>(byte));
    CHECK(colors_of(dib({.bits = 32, .compression = 3, .header_bytes = 124}, rest)) ==
          std::vector{red, green});
}

TEST_CASE("16 bits have 5 bits per color unless bit fields define others") {
    CHECK(colors_of(dib({.bits = 16}, {0x00, 0x7C, 0xE0, 0x03})) == std::vector{red, green});
    CHECK(colors_of(dib({.bits = 16, .compression = 3}, {0x00, 0xF8, 0, 0, 0xE0, 0x07, 0, 0, 0x1F,
                                                         0, 0, 0, 0xE0, 0x07, 0x1F, 0})) ==
          std::vector{green, blue});
}

TEST_CASE("palettes of 1, 4 and 8 bits are read, with the leftmost pixel in the highest bits") {
    const Bytes palette{0, 0, 255, 0, 0, 255, 0, 0}; // red, green
    const auto with = [&](Bytes row) {
        row.insert(row.begin(), palette.begin(), palette.end());
        return row;
    };
    CHECK(colors_of(dib({.bits = 1}, with({0x40, 0, 0, 0}))) == std::vector{red, green});
    CHECK(colors_of(dib({.bits = 4, .colors_used = 2}, with({0x10, 0, 0, 0}))) ==
          std::vector{green, red});
    CHECK(colors_of(dib({.bits = 8, .colors_used = 2}, with({1, 0, 0, 0}))) ==
          std::vector{green, red});
}

TEST_CASE("an index past the palette's end is black") {
    CHECK(colors_of(dib({.width = 3, .bits = 8, .colors_used = 1}, {0, 0, 255, 0, 0, 1, 200, 0})) ==
          std::vector{red, black, black});
}

TEST_CASE("a palette in a DIB of 24 bits is skipped") {
    CHECK(colors_of(dib({.colors_used = 1}, {9, 9, 9, 9, 0, 0, 255, 0, 255, 0, 0, 0})) ==
          std::vector{red, green});
}

TEST_CASE("a DIB of another program may be too long, but not too short") {
    Bytes bytes = dib({}, {0, 0, 255, 0, 255, 0, 0, 0});
    bytes.push_back(1);
    CHECK(decode_dib(bytes));
    for (std::size_t length = 0; length < bytes.size() - 1; ++length)
        CHECK_FALSE(decode_dib(std::span(bytes).first(length)));
}

TEST_CASE("invalid headers contain no image") {
    constexpr int lowest = std::numeric_limits<int>::min();
    constexpr int highest = std::numeric_limits<int>::max();
    const Bytes row(64);
    for (const DibKind& kind :
         {DibKind{.width = 0}, DibKind{.width = -2}, DibKind{.height = 0},
          DibKind{.height = lowest}, DibKind{.bits = 0}, DibKind{.bits = 2}, DibKind{.bits = 64},
          DibKind{.compression = 1}, DibKind{.bits = 8, .compression = 1},
          DibKind{.compression = 3}, DibKind{.bits = 32, .compression = 4},
          DibKind{.header_bytes = 12}, DibKind{.header_bytes = 0xFFFFFFFF},
          DibKind{.header_bytes = 125}, DibKind{.colors_used = 0xFFFFFFFF},
          DibKind{.width = highest, .height = highest},
          DibKind{.width = highest, .height = highest, .bits = 32},
          DibKind{.width = 1 << 30, .height = 1 << 30, .bits = 1}})
        CHECK_FALSE(decode_dib(dib(kind, row)));
}

TEST_CASE("a damaged DIB is never read past its end") { // which the address sanitizer would see
    std::mt19937 random(7);
    const auto below = [&](std::size_t bound) {
        return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
    };
    constexpr std::array<unsigned, 6> depths{1, 4, 8, 16, 24, 32};
    int images = 0;
    for (int i = 0; i < 20'000; ++i) {
        Bytes bytes = dib({.width = static_cast<int>(below(9)) + 1,
                           .height = static_cast<int>(below(9)) - 4,
                           .bits = depths[below(depths.size())],
                           .compression = below(3) == 0 ? 3U : 0U,
                           .colors_used = static_cast<unsigned>(below(3)),
                           .header_bytes = below(2) == 0 ? 40U : 124U},
                          Bytes(below(400)));
        for (std::size_t hits = below(3); hits > 0; --hits)
            bytes[below(bytes.size())] = static_cast<std::uint8_t>(below(256));
        bytes.resize(below(bytes.size()) + 1);
        bytes.shrink_to_fit();
        images += decode_dib(bytes).has_value();
    }
    CHECK(images > 100); // else nothing but refusals was tested
}
