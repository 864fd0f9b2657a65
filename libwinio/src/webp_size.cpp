#include "webp_size.hpp"

#include "eyehand/winio/error.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace eyehand::winio {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::size_t chunk_at = 12; // after "RIFF", a length and "WEBP"
constexpr std::size_t data_at = 20;  // after the name of the chunk and its length

[[noreturn]] void refuse(std::string_view why) {
    throw Error(errc::decode_failed, "the WebP file cannot be read: it is " + std::string(why));
}

int number(Bytes file, std::size_t at, std::size_t bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = bytes; i-- > 0;) value = value << 8U | file[at + i];
    return static_cast<int>(value);
}

bool is_chunk(Bytes file, std::string_view name) {
    return std::equal(name.begin(), name.end(), file.begin() + chunk_at,
                      [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
}

/// RFC 6386, section 9.1: a key frame begins with its tag, a start code and the size.
std::optional<Size> lossy_size(Bytes file) {
    constexpr std::size_t size_at = data_at + 6;
    constexpr int max_side = 0x3fff; // the upper bits are a scale
    if (file.size() < size_at + 4 || (file[data_at] & 1U) != 0 ||
        number(file, data_at + 3, 3) != 0x2a019d)
        return std::nullopt;
    return Size{number(file, size_at, 2) & max_side, number(file, size_at + 2, 2) & max_side};
}

/// RFC 9649, section 3.4: a signature, and two numbers of 14 bits.
std::optional<Size> lossless_size(Bytes file) {
    if (file.size() < data_at + 5 || file[data_at] != 0x2f) return std::nullopt;
    const int bits = number(file, data_at + 1, 4) & 0xfffffff;
    return Size{(bits & 0x3fff) + 1, (bits >> 14) + 1};
}

/// RFC 9649, section 2.7: flags, and the size of the canvas.
std::optional<Size> extended_size(Bytes file) {
    constexpr unsigned animation = 2;
    if (file.size() < data_at + 10) return std::nullopt;
    if ((file[data_at] & animation) != 0) refuse("an animation");
    return Size{number(file, data_at + 4, 3) + 1, number(file, data_at + 7, 3) + 1};
}

} // namespace

Size webp_size(Bytes file, const ImageLimits& limits) {
    std::optional<Size> size;
    if (file.size() >= data_at) {
        if (is_chunk(file, "VP8 "))
            size = lossy_size(file);
        else if (is_chunk(file, "VP8L"))
            size = lossless_size(file);
        else if (is_chunk(file, "VP8X"))
            size = extended_size(file);
    }
    if (!size || size->empty()) refuse("damaged or truncated");
    check_limits(*size, limits, "WebP");
    return *size;
}

} // namespace eyehand::winio
