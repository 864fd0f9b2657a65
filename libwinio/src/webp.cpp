#include "webp.hpp"

#include "eyehand/winio/error.hpp"
#include "image_limits.hpp"

#include <webp/decode.h>
#include <webp/encode.h>

#include <new>
#include <string>

namespace eyehand::winio {
namespace {

/// libwebp's 0 (fastest) to 6 (smallest).
constexpr int method = 2;

class Picture {
public:
    Picture() {
        if (WebPPictureInit(&picture_) == 0) throw_version();
    }
    ~Picture() { WebPPictureFree(&picture_); }
    Picture(const Picture&) = delete;
    Picture& operator=(const Picture&) = delete;
    [[nodiscard]] WebPPicture* operator->() { return &picture_; }
    [[nodiscard]] WebPPicture* get() { return &picture_; }

    [[noreturn]] static void throw_version() {
        throw Error(errc::encode_failed, "libwebp is of another version than its headers");
    }

private:
    WebPPicture picture_{};
};

[[noreturn]] void fail(const WebPPicture& picture) {
    if (picture.error_code == VP8_ENC_ERROR_OUT_OF_MEMORY ||
        picture.error_code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY ||
        picture.error_code == VP8_ENC_ERROR_BAD_WRITE) // of `append`
        throw std::bad_alloc();
    throw Error(errc::encode_failed, "the screenshot cannot be encoded as WebP (error " +
                                         std::to_string(picture.error_code) + " of libwebp)");
}

int append(const std::uint8_t* data, std::size_t size, const WebPPicture* picture) {
    auto& into = *static_cast<std::vector<std::uint8_t>*>(picture->custom_ptr);
    try {
        into.insert(into.end(), data, data + size);
    } catch (const std::bad_alloc&) { // no exception may pass through libwebp
        return 0;
    }
    return 1;
}

[[noreturn]] void refuse(VP8StatusCode status) {
    if (status == VP8_STATUS_OUT_OF_MEMORY) throw std::bad_alloc();
    throw Error(errc::decode_failed,
                status == VP8_STATUS_UNSUPPORTED_FEATURE
                    ? "the WebP file cannot be read: it is an animation"
                    : "the WebP file cannot be read: it is damaged or truncated");
}

/// Also checks the beginning of the pixels.
Size checked_size(std::span<const std::uint8_t> file, const ImageLimits& limits) {
    WebPBitstreamFeatures features{};
    const VP8StatusCode status = WebPGetFeatures(file.data(), file.size(), &features);
    if (status != VP8_STATUS_OK) refuse(status);
    if (features.has_animation != 0) refuse(VP8_STATUS_UNSUPPORTED_FEATURE);
    const Size size{features.width, features.height};
    check_limits(size, limits, "WebP");
    return size;
}

} // namespace

std::vector<std::uint8_t> encode_webp(const ImageView& image, const WebpOptions& options) {
    if (image.width() > WEBP_MAX_DIMENSION || image.height() > WEBP_MAX_DIMENSION)
        throw Error(errc::encode_failed, "a WebP file has at most 16383 pixels per side: choose "
                                         "smaller screenshots, or PNG");
    WebPConfig config{};
    if (WebPConfigPreset(&config, WEBP_PRESET_TEXT, static_cast<float>(options.quality)) == 0)
        Picture::throw_version();
    config.method = method;
    Picture picture;
    picture->width = image.width();
    picture->height = image.height();
    std::vector<std::uint8_t> file;
    picture->writer = append;
    picture->custom_ptr = &file;
    if (WebPPictureImportBGRX(picture.get(), image.row(0).data(),
                              static_cast<int>(image.stride())) == 0 ||
        WebPEncode(&config, picture.get()) == 0)
        fail(*picture.get());
    return file;
}

Image decode_webp(std::span<const std::uint8_t> file, const ImageLimits& limits) {
    Image image(checked_size(file, limits));
    WebPDecoderConfig config{};
    if (WebPInitDecoderConfig(&config) == 0)
        throw Error(errc::decode_failed, "libwebp is of another version than its headers");
    config.output.colorspace = MODE_BGRA;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = image.data();
    config.output.u.RGBA.stride = static_cast<int>(image.stride());
    config.output.u.RGBA.size = image.stride() * static_cast<std::size_t>(image.height());
    const VP8StatusCode status = WebPDecode(file.data(), file.size(), &config);
    WebPFreeDecBuffer(&config.output);
    if (status != VP8_STATUS_OK) refuse(status);
    return image;
}

} // namespace eyehand::winio
