#include "eyehand/winio/image_file.hpp"

#include "image_limits.hpp"
#include "jpeg.hpp"
#include "overloaded.hpp"
#include "webp_size.hpp"
#ifdef EYEHAND_WITH_WEBP
#include "webp.hpp"
#endif

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace eyehand::winio {
namespace {

[[noreturn]] void refuse_webp() {
    throw Error(errc::not_supported, "this build has no WebP: choose png or jpeg, or build Eyehand "
                                     "with libwebp (EYEHAND_WEBP=ON)");
}

#ifdef EYEHAND_WITH_WEBP
constexpr bool has_webp = true;
#else
constexpr bool has_webp = false;

std::vector<std::uint8_t> encode_webp(const ImageView& /*image*/, const WebpOptions& /*options*/) {
    refuse_webp();
}
Image decode_webp(std::span<const std::uint8_t> /*file*/, const ImageLimits& /*limits*/) {
    throw Error(errc::not_supported, "the WebP file cannot be read: this build has no WebP; build "
                                     "Eyehand with libwebp (EYEHAND_WEBP=ON)");
}
#endif

struct Row {
    ImageFormat format;
    std::string_view name;
    std::string_view media_type;
    std::string_view extension;
};

const std::array<Row, 3>& rows() {
    static const std::array<Row, 3> all{{{PngOptions{}, "png", "image/png", ".png"},
                                         {JpegOptions{}, "jpeg", "image/jpeg", ".jpg"},
                                         {WebpOptions{}, "webp", "image/webp", ".webp"}}};
    return all; // in the order of the variant
}

const Row& row_of(const ImageFormat& format) { return rows().at(format.index()); }

bool has(std::span<const std::uint8_t> file, std::size_t at, std::string_view bytes) {
    return file.size() >= at + bytes.size() &&
           std::equal(bytes.begin(), bytes.end(), file.begin() + static_cast<std::ptrdiff_t>(at),
                      [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
}

/// The size in the header of a PNG file, which `decode_png` checks.
Size png_size(std::span<const std::uint8_t> file, const ImageLimits& limits) {
    constexpr std::size_t width_at = 16; // after the signature, a length and "IHDR"
    if (file.size() < width_at + 8 || !has(file, 12, "IHDR"))
        throw Error(errc::decode_failed, "the PNG file cannot be read: it has no header");
    const auto number = [&](std::size_t at) {
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < 4; ++i) value = value << 8U | file[at + i];
        return static_cast<int>(std::min<std::uint32_t>(value, 0x7fffffff));
    };
    const Size size{number(width_at), number(width_at + 4)};
    check_limits(size, limits, "PNG");
    return size;
}

ImageFormat known_format(std::span<const std::uint8_t> file) {
    if (auto format = image_format_of(file)) return *format;
    throw Error(errc::decode_failed, "the image file cannot be read: it is not PNG, JPEG or WebP");
}

} // namespace

std::string_view to_string(const ImageFormat& format) { return row_of(format).name; }
std::string_view media_type(const ImageFormat& format) { return row_of(format).media_type; }
std::string_view file_extension(const ImageFormat& format) { return row_of(format).extension; }

std::optional<ImageFormat> parse_image_format(std::string_view name) {
    for (const Row& row : rows())
        if (row.name == name) return row.format;
    return std::nullopt;
}

std::optional<ImageFormat> image_format_of_name(std::string_view file_name) {
    const std::size_t dot = file_name.rfind('.');
    if (dot == std::string_view::npos) return std::nullopt;
    std::string extension(file_name.substr(dot));
    for (char& c : extension)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (extension == ".jpeg") extension = ".jpg";
    for (const Row& row : rows())
        if (row.extension == extension) return row.format;
    return std::nullopt;
}

std::optional<ImageFormat> image_format_of(std::span<const std::uint8_t> file) {
    if (has(file, 0, "\x89PNG\r\n\x1A\n")) return PngOptions{};
    if (has(file, 0, "\xFF\xD8\xFF")) return JpegOptions{};
    if (has(file, 0, "RIFF") && has(file, 8, "WEBP")) return WebpOptions{};
    return std::nullopt;
}

std::optional<int> quality_of(const ImageFormat& format) {
    return std::visit(overloaded{[](const PngOptions&) { return std::optional<int>(); },
                                 [](const auto& lossy) { return std::optional(lossy.quality); }},
                      format);
}

ImageFormat with_quality(ImageFormat format, int quality) {
    std::visit(overloaded{[](PngOptions&) {}, [&](auto& lossy) { lossy.quality = quality; }},
               format);
    return format;
}

bool is_supported(const ImageFormat& format) {
    return has_webp || !std::holds_alternative<WebpOptions>(format);
}

void check_format(const ImageFormat& format) {
    if (const auto* png = std::get_if<PngOptions>(&format);
        png != nullptr && (png->level < 0 || png->level > 9))
        throw std::invalid_argument("a PNG's level must be 0 to 9");
    if (const auto given = quality_of(format); given && (*given < 1 || *given > 100))
        throw std::invalid_argument("the quality of an image must be 1 to 100");
    if (!is_supported(format)) refuse_webp();
}

std::vector<std::uint8_t> encode_image(const ImageView& image, const ImageFormat& format) {
    check_format(format);
    if (image.empty()) throw std::invalid_argument("an empty image cannot be encoded");
    return std::visit(
        overloaded{[&](const PngOptions& options) { return encode_png(image, options); },
                   [&](const JpegOptions& options) { return encode_jpeg(image, options); },
                   [&](const WebpOptions& options) { return encode_webp(image, options); }},
        format);
}

Image decode_image(std::span<const std::uint8_t> file, const ImageLimits& limits) {
    return std::visit(overloaded{[&](const PngOptions&) { return decode_png(file, limits); },
                                 [&](const JpegOptions&) { return decode_jpeg(file, limits); },
                                 [&](const WebpOptions&) { return decode_webp(file, limits); }},
                      known_format(file));
}

Size image_file_size(std::span<const std::uint8_t> file, const ImageLimits& limits) {
    return std::visit(overloaded{[&](const PngOptions&) { return png_size(file, limits); },
                                 [&](const JpegOptions&) { return jpeg_size(file, limits); },
                                 [&](const WebpOptions&) { return webp_size(file, limits); }},
                      known_format(file));
}

} // namespace eyehand::winio
