#include "frames.hpp"
#include "source_folder.hpp"

#include <allheaders.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <new>
#include <stdexcept>

namespace stand_in_test {
namespace {

struct PixFree {
    void operator()(Pix* pix) const noexcept { pixDestroy(&pix); }
};
using PixPtr = std::unique_ptr<Pix, PixFree>;

PixPtr decode(const std::string& png) {
    return PixPtr(pixReadMem(reinterpret_cast<const l_uint8*>(png.data()), png.size()));
}

std::string taken(l_uint8* bytes, std::size_t size) {
    std::string file(reinterpret_cast<char*>(bytes), size);
    lept_free(bytes);
    return file;
}

std::string encode(Pix* pix) {
    l_uint8* bytes = nullptr;
    std::size_t size = 0;
    if (pixWriteMemPng(&bytes, &size, pix, 0.0f) != 0) throw std::bad_alloc();
    return taken(bytes, size);
}

} // namespace

std::string frame(const std::string& name) {
    std::ifstream file(test::source_folder() / "tests/data/frames" / name, std::ios::binary);
    if (!file) throw std::runtime_error("no frame " + name);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string scaled_to_864_rows(const std::string& png) {
    const PixPtr large = decode(png);
    const PixPtr small(pixScaleAreaMap(large.get(), 0.8f, 0.8f));
    return encode(small.get());
}

std::string as_jpeg(const std::string& png, int quality) {
    l_uint8* bytes = nullptr;
    std::size_t size = 0;
    if (pixWriteMemJpeg(&bytes, &size, decode(png).get(), quality, 0) != 0) throw std::bad_alloc();
    return taken(bytes, size);
}

std::string as_webp(const std::string& png, int quality) {
    l_uint8* bytes = nullptr;
    std::size_t size = 0;
    if (pixWriteMemWebP(&bytes, &size, decode(png).get(), quality, 0) != 0) throw std::bad_alloc();
    return taken(bytes, size);
}

std::string moved(const std::string& png, int right, int down) {
    const PixPtr pix = decode(png);
    const PixPtr result(pixTranslate(nullptr, pix.get(), right, down, L_BRING_IN_BLACK));
    return encode(result.get());
}

} // namespace stand_in_test
