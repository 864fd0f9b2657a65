// Image files in the formats that models read: PNG, JPEG and WebP.
//
//     winio::FramePipeline pipeline({.format = winio::JpegOptions{.quality = 90}});
//     const auto screenshot = pipeline.process(std::move(frame));
//     send(*screenshot.file, screenshot.media_type); // "image/jpeg"
//
//     const winio::Image image = winio::decode_image(*screenshot.file); // of any of these formats
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/image.hpp"
#include "eyehand/winio/png.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace eyehand::winio {

/// Lossy: a baseline JPEG file (ITU-T T.81, in a JFIF frame) without alpha, at most 65535 pixels per
/// side.
struct JpegOptions {
    int quality = 85; ///< 1 (smallest) to 100, on libjpeg's scale; up to 90, colors have half the
                      ///< resolution
    friend bool operator==(const JpegOptions&, const JpegOptions&) = default;
};

/// Lossy: a WebP file without alpha, at most 16383 pixels per side. Colors have half the resolution.
/// Only in builds with libwebp (`is_supported`). The same pixels give the same bytes with the same
/// version of libwebp.
struct WebpOptions {
    int quality = 80; ///< 1 (smallest) to 100, on libwebp's scale
    friend bool operator==(const WebpOptions&, const WebpOptions&) = default;
};

using ImageFormat = std::variant<PngOptions, JpegOptions, WebpOptions>;

/// "png", "jpeg", "webp".
[[nodiscard]] EYEHAND_WINIO_API std::string_view to_string(const ImageFormat& format);
/// The format with this name and its default options; empty for any other name.
[[nodiscard]] EYEHAND_WINIO_API std::optional<ImageFormat>
parse_image_format(std::string_view name);
/// The quality of a lossy format; empty for PNG.
[[nodiscard]] EYEHAND_WINIO_API std::optional<int> quality_of(const ImageFormat& format);
/// The format with another quality; PNG, which has none, stays as it is.
[[nodiscard]] EYEHAND_WINIO_API ImageFormat with_quality(ImageFormat format, int quality);
/// "image/png", "image/jpeg", "image/webp". Static text.
[[nodiscard]] EYEHAND_WINIO_API std::string_view media_type(const ImageFormat& format);
/// ".png", ".jpg", ".webp". Static text.
[[nodiscard]] EYEHAND_WINIO_API std::string_view file_extension(const ImageFormat& format);
/// The format that a file name names with its extension, in any case (".jpeg" is ".jpg"), with its
/// default options; empty for any other extension.
[[nodiscard]] EYEHAND_WINIO_API std::optional<ImageFormat>
image_format_of_name(std::string_view file_name);
/// The format of a file by its first bytes (twelve are enough), with its default options; empty for
/// any other file.
[[nodiscard]] EYEHAND_WINIO_API std::optional<ImageFormat>
image_format_of(std::span<const std::uint8_t> file);
/// Whether this build of the library writes and reads the format. PNG and JPEG are always supported.
[[nodiscard]] EYEHAND_WINIO_API bool is_supported(const ImageFormat& format);
/// Throws std::invalid_argument if an option is out of range, and Error{not_supported} if this build
/// does not support the format; its text names the remedy.
EYEHAND_WINIO_API void check_format(const ImageFormat& format);

/// Returns `image` as a file. Alpha is ignored. The same pixels and options give the same bytes.
/// Throws the exceptions of `check_format`, std::invalid_argument for an empty image, Error{encode_failed}
/// for a side that is too long for the format, and Error{encode_failed} or std::bad_alloc if memory
/// runs out.
[[nodiscard]] EYEHAND_WINIO_API std::vector<std::uint8_t> encode_image(const ImageView& image,
                                                                       const ImageFormat& format);

/// Reads a PNG (as `decode_png` does), JPEG or WebP file, recognized by its first bytes. Of JPEG
/// files, reads only those that `encode_image` has written; their pixels are opaque. Throws
/// Error{decode_failed}, whose text names the problem, and Error{not_supported} for a WebP file in
/// a build without libwebp.
[[nodiscard]] EYEHAND_WINIO_API Image decode_image(std::span<const std::uint8_t> file,
                                                   const ImageLimits& limits = {});
/// The size that a file states, without decoding its pixels, which may be damaged. Throws as
/// `decode_image` does, but reads WebP files also without libwebp.
[[nodiscard]] EYEHAND_WINIO_API Size image_file_size(std::span<const std::uint8_t> file,
                                                     const ImageLimits& limits = {});

} // namespace eyehand::winio
