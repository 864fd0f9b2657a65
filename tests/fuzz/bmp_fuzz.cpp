// Any input is either rejected as a bitmap file, or read as an image that stays the same when it is
// written and read again.
#include "bmp.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

using namespace eyehand;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto image = winio::decode_bmp({data, size});
    if (!image) return 0;
    const auto again = winio::decode_bmp(winio::encode_bmp(image->view()));
    if (!again || again->size() != image->size()) std::abort();
    const auto bytes = image->stride() * static_cast<std::size_t>(image->height());
    if (!std::equal(image->data(), image->data() + bytes, again->data())) std::abort();
    return 0;
}
