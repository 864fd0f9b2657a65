#include "posted_screenshot.hpp"

#include "eyehand/base/base64.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/png.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

namespace eyehand::panel {

PostedScreenshot read_posted_screenshot(std::string_view base64, winio::Size wanted) {
    constexpr std::string_view data_url = "data:image/png;base64,";
    if (base64.starts_with(data_url)) base64.remove_prefix(data_url.size());
    auto bytes = base::from_base64(base64);
    if (!bytes) return {{}, "image_b64 is not base64"};
    try {
        const winio::Size size =
            winio::decode_png(
                *bytes, {.size = wanted, .pixels = std::int64_t{wanted.width} * wanted.height})
                .size();
        if (size != wanted)
            return {{},
                    fmt::format("the image has {}x{} pixels instead of {}x{}", size.width,
                                size.height, wanted.width, wanted.height)};
    } catch (const winio::Error& error) {
        return {{},
                fmt::format("image_b64 is not a PNG file of {}x{} pixels: {}", wanted.width,
                            wanted.height, error.what())};
    }
    return {*std::move(bytes), {}};
}

} // namespace eyehand::panel
