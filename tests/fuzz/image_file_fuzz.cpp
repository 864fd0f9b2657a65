// Any input is either refused as an image file, or read as an opaque image of the size that its header
// states, within the limits. JPEG and WebP are decoded by other libraries.
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/image_file.hpp"

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>

using namespace eyehand;

namespace {

constexpr winio::ImageLimits limits{.size = {300, 300}, .pixels = 40000};

template <class Read>
auto read(Read reader) -> std::optional<decltype(reader())> {
    try {
        return reader();
    } catch (const winio::Error& error) {
        if (error.code() != winio::errc::decode_failed &&
            error.code() != winio::errc::not_supported)
            std::abort();
        return std::nullopt;
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span<const std::uint8_t> file(data, size);
    const auto stated = read([&] { return winio::image_file_size(file, limits); });
    const auto image = read([&] { return winio::decode_image(file, limits); });
    if (!image) return 0;
    if (!stated || *stated != image->size()) std::abort();
    if (image->empty() || image->width() > 300 || image->height() > 300) std::abort();
    return 0;
}
