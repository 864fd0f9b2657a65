// Images that other programs put onto the clipboard.
#include "dib.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

using namespace eyehand::winio;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto image = decode_dib(std::span(data, size));
    if (!image) return 0;
    // An image that was read can be written, and keeps its size.
    const auto again = decode_dib(encode_dib(image->view()));
    if (!again || again->size() != image->size()) std::abort();
    return 0;
}
