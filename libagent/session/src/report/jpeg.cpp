// The cosine transform is Arai, Agui and Nakajima's, whose factors are folded into the quantisation; the
// tables are the examples of T.81, Annex K. Colours are coded with the tables that are meant for luminance:
// a few percent larger, and half as many tables.
#include "report/jpeg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>

namespace eyehand::session {
namespace {

constexpr int side = 8;
constexpr std::size_t block_size = 64;
using Block = std::array<float, block_size>;
using Table = std::array<int, block_size>;

// K.1 and K.2, row by row.
constexpr Table luminance{16, 11, 10, 16, 24,  40,  51,  61,  12, 12, 14, 19, 26,  58,  60,  55,
                          14, 13, 16, 24, 40,  57,  69,  56,  14, 17, 22, 29, 51,  87,  80,  62,
                          18, 22, 37, 56, 68,  109, 103, 77,  24, 35, 55, 64, 81,  104, 113, 92,
                          49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99};
constexpr Table chrominance{17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99,
                            24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99, 99, 99, 99,
                            99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
                            99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99};
// Where the nth coefficient of a file is in its block.
constexpr std::array<std::size_t, block_size> zigzag{
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

// K.3 and K.5: how many codes there are of each length, and what they stand for.
constexpr std::array<std::uint8_t, 16> dc_lengths{0, 1, 5, 1, 1, 1, 1, 1, 1};
constexpr std::array<std::uint8_t, 12> dc_values{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
constexpr std::array<std::uint8_t, 16> ac_lengths{0, 2, 1, 3, 3, 2, 4, 3,
                                                  5, 5, 4, 4, 0, 0, 1, 0x7d};
constexpr std::array<std::uint8_t, 162> ac_values{
    0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61,
    0x07, 0x22, 0x71, 0x14, 0x32, 0x81, 0x91, 0xa1, 0x08, 0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52,
    0xd1, 0xf0, 0x24, 0x33, 0x62, 0x72, 0x82, 0x09, 0x0a, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x25,
    0x26, 0x27, 0x28, 0x29, 0x2a, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3a, 0x43, 0x44, 0x45,
    0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x63, 0x64,
    0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x83,
    0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99,
    0x9a, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6,
    0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3,
    0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xe1, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8,
    0xe9, 0xea, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa};

/// What libjpeg makes of a quality.
Table scaled(const Table& table, int quality) {
    const int percent = quality < 50 ? 5000 / quality : 200 - quality * 2;
    Table result{};
    for (std::size_t i = 0; i < block_size; ++i)
        result[i] = std::clamp((table[i] * percent + 50) / 100, 1, 255);
    return result;
}

/// By what coefficients of the transform below are multiplied to be quantised.
Block reciprocals(const Table& table) {
    constexpr std::array<double, side> factors{1.0, 1.387039845, 1.306562965, 1.175875602,
                                               1.0, 0.785694958, 0.541196100, 0.275899379};
    Block result{};
    for (std::size_t i = 0; i < block_size; ++i)
        result[i] =
            static_cast<float>(1 / (table[i] * factors[i / side] * factors[i % side] * side));
    return result;
}

/// Eight values that lie `step` apart.
void transform(float* at, std::size_t step) {
    float& d0 = at[0];
    float& d1 = at[step];
    float& d2 = at[2 * step];
    float& d3 = at[3 * step];
    float& d4 = at[4 * step];
    float& d5 = at[5 * step];
    float& d6 = at[6 * step];
    float& d7 = at[7 * step];
    const float sum07 = d0 + d7, difference07 = d0 - d7;
    const float sum16 = d1 + d6, difference16 = d1 - d6;
    const float sum25 = d2 + d5, difference25 = d2 - d5;
    const float sum34 = d3 + d4, difference34 = d3 - d4;

    const float even0 = sum07 + sum34, even3 = sum07 - sum34;
    const float even1 = sum16 + sum25, even2 = sum16 - sum25;
    const float turned = (even2 + even3) * 0.707106781F;
    d0 = even0 + even1;
    d4 = even0 - even1;
    d2 = even3 + turned;
    d6 = even3 - turned;

    const float odd0 = difference34 + difference25;
    const float odd1 = difference25 + difference16;
    const float odd2 = difference16 + difference07;
    const float z5 = (odd0 - odd2) * 0.382683433F;
    const float z2 = 0.541196100F * odd0 + z5;
    const float z4 = 1.306562965F * odd2 + z5;
    const float z3 = odd1 * 0.707106781F;
    const float z11 = difference07 + z3;
    const float z13 = difference07 - z3;
    d5 = z13 + z2;
    d3 = z13 - z2;
    d1 = z11 + z4;
    d7 = z11 - z4;
}

struct Code {
    std::uint32_t bits = 0;
    int length = 0;
};
using Codes = std::array<Code, 256>;

Codes codes_of(std::span<const std::uint8_t> lengths, std::span<const std::uint8_t> values) {
    Codes codes{};
    std::uint32_t bits = 0;
    std::size_t next = 0;
    for (std::size_t length = 1; length <= lengths.size(); ++length, bits <<= 1U)
        for (int i = 0; i < lengths[length - 1]; ++i, ++bits)
            codes[values[next++]] = {bits, static_cast<int>(length)};
    return codes;
}

class Writer {
public:
    std::vector<std::uint8_t> file;

    void byte(int value) { file.push_back(static_cast<std::uint8_t>(value)); }
    void number(int value) {
        byte(value >> 8);
        byte(value & 0xff);
    }
    void marker(int code) {
        byte(0xff);
        byte(code);
    }
    /// A segment's marker and the length of what follows.
    void segment(int code, std::size_t bytes) {
        marker(code);
        number(static_cast<int>(bytes) + 2);
    }
    void bytes(std::span<const std::uint8_t> all) {
        file.insert(file.end(), all.begin(), all.end());
    }

    void write(const Code& code) {
        pending_ = pending_ << static_cast<unsigned>(code.length) | code.bits;
        for (waiting_ += code.length; waiting_ >= 8; waiting_ -= 8) {
            const auto whole =
                static_cast<std::uint8_t>(pending_ >> static_cast<unsigned>(waiting_ - 8));
            file.push_back(whole);
            if (whole == 0xff) file.push_back(0); // else it would look like a marker
        }
    }
    /// Fills the last byte with ones.
    void flush() {
        if (waiting_ > 0) write({(1U << static_cast<unsigned>(8 - waiting_)) - 1, 8 - waiting_});
    }

private:
    std::uint64_t pending_ = 0;
    int waiting_ = 0; ///< bits of it
};

/// A number as its count of bits, which is coded, and these bits: of one below zero those of it less one.
Code magnitude(int value) {
    int length = 0;
    for (int rest = std::abs(value); rest > 0; rest >>= 1) ++length;
    const unsigned mask = (1U << static_cast<unsigned>(length)) - 1;
    return {static_cast<std::uint32_t>(value < 0 ? value - 1 : value) & mask, length};
}

class Encoder {
public:
    Encoder(const winio::ImageView& image, int quality)
        : image_(image), tables_{scaled(luminance, quality), scaled(chrominance, quality)},
          reciprocals_{reciprocals(tables_[0]), reciprocals(tables_[1])},
          dc_(codes_of(dc_lengths, dc_values)), ac_(codes_of(ac_lengths, ac_values)) {}

    std::vector<std::uint8_t> encode() {
        write_header();
        for (int y = 0; y < image_.height(); y += 2 * side)
            for (int x = 0; x < image_.width(); x += 2 * side) write_unit(x, y);
        out_.flush();
        out_.marker(0xd9); // end of image
        return std::move(out_.file);
    }

private:
    void write_header() {
        out_.marker(0xd8); // start of image
        out_.segment(0xe0, 14);
        out_.bytes(std::to_array<std::uint8_t>({'J', 'F', 'I', 'F', 0, 1, 1, 0, 0, 1, 0, 1, 0, 0}));
        for (int table = 0; table < 2; ++table) {
            out_.segment(0xdb, 1 + block_size); // quantisation
            out_.byte(table);
            for (const std::size_t at : zigzag)
                out_.byte(tables_[static_cast<std::size_t>(table)][at]);
        }
        out_.segment(0xc0, 15); // baseline
        out_.byte(8);
        out_.number(image_.height());
        out_.number(image_.width());
        // Components: number, how often a unit has it across and down, quantisation.
        out_.bytes(std::to_array<std::uint8_t>({3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1}));
        const auto write_codes = [&](int kind, std::span<const std::uint8_t> lengths,
                                     std::span<const std::uint8_t> values) {
            out_.segment(0xc4, 1 + lengths.size() + values.size());
            out_.byte(kind);
            out_.bytes(lengths);
            out_.bytes(values);
        };
        write_codes(0x00, dc_lengths, dc_values);
        write_codes(0x10, ac_lengths, ac_values);
        out_.segment(0xda, 10); // the scan: components, each with its codes; all coefficients
        out_.bytes(std::to_array<std::uint8_t>({3, 1, 0, 2, 0, 3, 0, 0, 63, 0}));
    }

    /// 16 by 16 pixels: four blocks of brightness and one of each colour.
    void write_unit(int left, int top) {
        std::array<Block, 4> bright{};
        Block blue{};
        Block red{};
        for (int y = 0; y < 2 * side; ++y) {
            const auto row = image_.row(std::min(top + y, image_.height() - 1));
            for (int x = 0; x < 2 * side; ++x) {
                const auto* pixel =
                    &row[static_cast<std::size_t>(std::min(left + x, image_.width() - 1)) * 4];
                const auto b = static_cast<float>(pixel[0]);
                const auto g = static_cast<float>(pixel[1]);
                const auto r = static_cast<float>(pixel[2]);
                constexpr auto edge = static_cast<std::size_t>(side);
                const auto across = static_cast<std::size_t>(x);
                const auto down = static_cast<std::size_t>(y);
                const std::size_t block = down / edge * 2 + across / edge;
                const std::size_t at = down % edge * edge + across % edge;
                const std::size_t half = down / 2 * edge + across / 2;
                bright[block][at] = 0.299F * r + 0.587F * g + 0.114F * b - 128;
                blue[half] += 0.25F * (-0.168736F * r - 0.331264F * g + 0.5F * b);
                red[half] += 0.25F * (0.5F * r - 0.418688F * g - 0.081312F * b);
            }
        }
        for (Block& block : bright) write_block(block, 0, last_[0]);
        write_block(blue, 1, last_[1]);
        write_block(red, 1, last_[2]);
    }

    void write_block(Block& block, std::size_t table, int& last) {
        for (std::size_t i = 0; i < side; ++i) transform(&block[i * side], 1);
        for (std::size_t i = 0; i < side; ++i) transform(&block[i], side);
        const Block& factors = reciprocals_[table];
        const auto coefficient = [&](std::size_t at) {
            return static_cast<int>(std::lround(block[at] * factors[at]));
        };
        const int mean = coefficient(0);
        const Code change = magnitude(mean - std::exchange(last, mean));
        out_.write(dc_[static_cast<std::size_t>(change.length)]);
        out_.write(change);
        unsigned zeros = 0;
        for (std::size_t i = 1; i < block_size; ++i) {
            const int value = coefficient(zigzag[i]);
            if (value == 0) {
                ++zeros;
                continue;
            }
            for (; zeros >= 16; zeros -= 16) out_.write(ac_[0xf0]);
            const Code bits = magnitude(value);
            out_.write(ac_[zeros << 4U | static_cast<unsigned>(bits.length)]);
            out_.write(bits);
            zeros = 0;
        }
        if (zeros > 0) out_.write(ac_[0]); // nothing but zeros
    }

    winio::ImageView image_;
    std::array<Table, 2> tables_;
    std::array<Block, 2> reciprocals_;
    Codes dc_;
    Codes ac_;
    std::array<int, 3> last_{}; ///< means of the blocks before
    Writer out_;
};

} // namespace

std::vector<std::uint8_t> encode_jpeg(const winio::ImageView& image, int quality) {
    if (image.empty() || image.width() > 0xffff || image.height() > 0xffff)
        throw std::invalid_argument("no JPEG has such a size");
    if (quality < 1 || quality > 100) throw std::invalid_argument("a JPEG's quality is 1 to 100");
    return Encoder(image, quality).encode();
}

} // namespace eyehand::session
