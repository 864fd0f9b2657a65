// Whatever a program offers as a bitmap, it is an image that comes out the same when written and
// read again, or none.
#include "bmp.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>

namespace {

bool same(const winio::Image& a, const std::optional<winio::Image>& b) {
    return b && a.size() == b->size() &&
           std::equal(a.data(), a.data() + a.stride() * static_cast<std::size_t>(a.height()),
                      b->data());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto image = winio::decode_bmp({data, size});
    if (image && !same(*image, winio::decode_bmp(winio::encode_bmp(image->view())))) std::abort();
    return 0;
}
