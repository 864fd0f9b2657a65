// The files that decode_png accepts and refuses. png_reader_libpng.cpp tests files of libpng.
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/png.hpp"

#include "catch.hpp"
#include "random_image.hpp"

#include <cstring>

using namespace eyehand::winio;

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes be32(std::uint32_t value) {
    Bytes bytes;
    for (const int shift : {24, 16, 8, 0})
        bytes.push_back(static_cast<std::uint8_t>(value >> shift));
    return bytes;
}

std::uint32_t crc(const Bytes& bytes) {
    std::uint32_t value = 0xffffffff;
    for (const std::uint8_t byte : bytes) {
        value ^= byte;
        for (int bit = 0; bit < 8; ++bit)
            value = (value >> 1U) ^ (value % 2 == 1 ? 0xedb88320U : 0U);
    }
    return ~value;
}

Bytes operator+(Bytes a, const Bytes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

Bytes chunk(std::string_view type, const Bytes& data) {
    const Bytes named = Bytes(type.begin(), type.end()) + data;
    return be32(static_cast<std::uint32_t>(data.size())) + named + be32(crc(named));
}

const Bytes signature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
const Bytes end = chunk("IEND", {});

Bytes header(std::uint32_t width, std::uint32_t height, const Bytes& kind = {8, 2, 0, 0, 0}) {
    return chunk("IHDR", be32(width) + be32(height) + kind);
}

/// A zlib stream that stores the bytes uncompressed.
Bytes stored(const Bytes& data) {
    std::uint32_t a = 1;
    std::uint32_t b = 0;
    for (const std::uint8_t byte : data) {
        a = (a + byte) % 65521;
        b = (b + a) % 65521;
    }
    const auto low = static_cast<std::uint8_t>(data.size());
    const auto high = static_cast<std::uint8_t>(data.size() >> 8U);
    const Bytes block{0x78,
                      0x01,
                      0x01,
                      low,
                      high,
                      static_cast<std::uint8_t>(~low),
                      static_cast<std::uint8_t>(~high)};
    return block + data + be32(b << 16U | a);
}

// One pixel: blue 3, green 2, red 1.
const Bytes one_pixel = stored({0, 1, 2, 3});
const Bytes small = signature + header(1, 1) + chunk("IDAT", one_pixel) + end;

/// The reason for a refusal.
std::string refusal(const Bytes& file, const ImageLimits& limits = {}) {
    try {
        (void)decode_png(file, limits);
    } catch (const Error& error) {
        CHECK(error.code() == errc::decode_failed);
        return error.what();
    }
    return "it was read";
}

} // namespace

TEST_CASE("a PNG file that this library wrote is read back pixel for pixel") {
    for (const int level : {0, 1, 6, 9}) {
        const Image image = random_image({67, 45}, 3);
        const Image read = decode_png(encode_png(image.view(), {.level = level}));
        REQUIRE(read.size() == image.size());
        bool same = true;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x) {
                Color expected = image.at(x, y);
                expected.alpha = 255;
                same = same && read.at(x, y) == expected;
            }
        CHECK(same);
    }
}

TEST_CASE("a PNG file may have many IDAT chunks and ancillary chunks") {
    CHECK(decode_png(small).at(0, 0) == Color{3, 2, 1, 255});
    Bytes pieces;
    for (const std::uint8_t byte : one_pixel) pieces = pieces + chunk("IDAT", {byte});
    const Bytes file = signature + header(1, 1) + chunk("sRGB", {0}) + chunk("PLTE", {1, 2, 3}) +
                       chunk("IDAT", {}) + pieces + chunk("IDAT", {}) +
                       chunk("tEXt", {'a', 0, 'b'}) + end;
    CHECK(decode_png(file).at(0, 0) == Color{3, 2, 1, 255});
}

TEST_CASE("a PNG file's alpha is kept") {
    const Bytes file = signature + header(1, 2, {8, 6, 0, 0, 0}) +
                       chunk("IDAT", stored({0, 1, 2, 3, 4, 2, 10, 10, 10, 10})) + end;
    const Image image = decode_png(file);
    CHECK(image.at(0, 0) == Color{3, 2, 1, 4});
    CHECK(image.at(0, 1) == Color{13, 12, 11, 14}); // by the filter "up"
}

TEST_CASE("a PNG file that is truncated anywhere is refused") {
    for (std::size_t size = 0; size < small.size(); ++size) {
        INFO(size << " bytes");
        const Bytes cut(small.begin(), small.begin() + static_cast<std::ptrdiff_t>(size));
        CHECK(refusal(cut) != "it was read");
    }
}

TEST_CASE("a PNG file with any bit changed is refused") {
    for (std::size_t at = 0; at < small.size(); ++at)
        for (int bit = 0; bit < 8; ++bit) {
            INFO("bit " << bit << " of byte " << at);
            Bytes file = small;
            file[at] = static_cast<std::uint8_t>(file[at] ^ (1U << bit));
            CHECK(refusal(file) != "it was read");
        }
}

TEST_CASE("a PNG file with invalid chunks is refused with the reason") {
    const Bytes pixels = chunk("IDAT", one_pixel);
    Bytes wrong_sum = small;
    wrong_sum.back() ^= 1U;
    CHECK_THAT(refusal(wrong_sum), ContainsSubstring("checksum of its chunk IEND"));
    CHECK_THAT(refusal({'G', 'I', 'F'}), ContainsSubstring("does not have a PNG signature"));
    CHECK_THAT(refusal(small + Bytes{0}), ContainsSubstring("after its end"));
    CHECK_THAT(refusal(signature + pixels + end), ContainsSubstring("no valid header"));
    CHECK_THAT(refusal(signature + header(1, 1) + end), ContainsSubstring("no pixels"));
    CHECK_THAT(refusal(signature + header(1, 1) + header(1, 1) + pixels + end),
               ContainsSubstring("IHDR is unknown or misplaced"));
    CHECK_THAT(refusal(signature + header(1, 1) + pixels + chunk("PLTE", {1, 2, 3}) + end),
               ContainsSubstring("PLTE is unknown or misplaced"));
    CHECK_THAT(refusal(signature + header(1, 1) + chunk("ABCD", {}) + pixels + end),
               ContainsSubstring("ABCD is unknown"));
    CHECK_THAT(refusal(signature + header(1, 1) + chunk("ab1d", {}) + pixels + end),
               ContainsSubstring("invalid type"));
    CHECK_THAT(
        refusal(signature + header(1, 1) + pixels + chunk("tEXt", {}) + chunk("IDAT", {}) + end),
        ContainsSubstring("not consecutive"));
    CHECK_THAT(refusal(signature + header(1, 1) + pixels + chunk("IEND", {0})),
               ContainsSubstring("IEND chunk is not empty"));
}

TEST_CASE("a PNG file of an unsupported format is refused") {
    const auto of_kind = [](const Bytes& kind) {
        return refusal(signature + header(1, 1, kind) + chunk("IDAT", one_pixel) + end);
    };
    CHECK_THAT(of_kind({8, 0, 0, 0, 0}), ContainsSubstring("only 8-bit RGB"));
    CHECK_THAT(of_kind({8, 3, 0, 0, 0}), ContainsSubstring("only 8-bit RGB"));
    CHECK_THAT(of_kind({16, 2, 0, 0, 0}), ContainsSubstring("only 8-bit RGB"));
    CHECK_THAT(of_kind({8, 2, 1, 0, 0}), ContainsSubstring("compression"));
    CHECK_THAT(of_kind({8, 2, 0, 1, 0}), ContainsSubstring("compression"));
    CHECK_THAT(of_kind({8, 2, 0, 0, 1}), ContainsSubstring("interlaced"));
}

TEST_CASE("a PNG file with invalid pixels is refused with the reason") {
    const auto of_pixels = [](const Bytes& compressed, std::uint32_t rows = 1) {
        return refusal(signature + header(1, rows) + chunk("IDAT", compressed) + end);
    };
    CHECK_THAT(of_pixels(stored({0, 1, 2})), ContainsSubstring("too few"));
    CHECK_THAT(of_pixels(stored({0, 1, 2, 3}), 2), ContainsSubstring("too few"));
    CHECK_THAT(of_pixels(stored({0, 1, 2, 3, 4})), ContainsSubstring("too many"));
    CHECK_THAT(of_pixels(one_pixel + Bytes{0}), ContainsSubstring("after its pixels"));
    CHECK_THAT(of_pixels(stored({5, 1, 2, 3})), ContainsSubstring("filter"));
    Bytes wrong_sum = one_pixel;
    wrong_sum.back() ^= 1U;
    CHECK_THAT(of_pixels(wrong_sum), ContainsSubstring("damaged"));
    CHECK_THAT(of_pixels({1, 2, 3}), ContainsSubstring("damaged"));
}

TEST_CASE("a PNG file that exceeds the limits is refused before its pixels are decoded") {
    const auto of_size = [](std::uint32_t width, std::uint32_t height, const ImageLimits& limits) {
        return refusal(signature + header(width, height) + chunk("IDAT", one_pixel) + end, limits);
    };
    CHECK_THAT(of_size(0, 1, {}), ContainsSubstring("invalid"));
    CHECK_THAT(of_size(1, 0x80000000, {}), ContainsSubstring("invalid"));
    CHECK_THAT(of_size(0x7fffffff, 1, {}), ContainsSubstring("2147483647x1 pixels is too large"));
    CHECK_THAT(of_size(16384, 16384, {}), ContainsSubstring("too large"));
    CHECK_THAT(of_size(11, 1, {.size = {10, 10}}), ContainsSubstring("too large"));
    CHECK_THAT(of_size(1, 11, {.size = {10, 10}}), ContainsSubstring("too large"));
    CHECK_THAT(of_size(10, 10, {.pixels = 99}), ContainsSubstring("too large"));
    CHECK_THAT(of_size(1, 1, {.size = {0, -1}}), ContainsSubstring("too large"));
    // Within the limits, but a file of this length cannot contain as many pixels.
    CHECK_THAT(of_size(8000, 8000, {}), ContainsSubstring("too few"));
}
