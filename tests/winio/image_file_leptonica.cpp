// JPEG and WebP files, read with Leptonica (libjpeg-turbo and libwebp).
#include "eyehand/winio/image_file.hpp"

#include "catch.hpp"
#include "frame_set.hpp"

#include <allheaders.h>

#include <cstdlib>
#include <memory>

using namespace eyehand::winio;

namespace {

struct PixFree {
    void operator()(Pix* pix) const noexcept { pixDestroy(&pix); }
};

/// The mean difference of a color between the file, as Leptonica reads it, and the image.
double difference_in(const std::vector<std::uint8_t>& file, const Image& image) {
    const std::unique_ptr<Pix, PixFree> pix(pixReadMem(file.data(), file.size()));
    REQUIRE(pix != nullptr);
    REQUIRE(pixGetDepth(pix.get()) == 32);
    REQUIRE(pixGetWidth(pix.get()) == image.width());
    REQUIRE(pixGetHeight(pix.get()) == image.height());
    double sum = 0;
    for (int y = 0; y < image.height(); ++y) {
        const l_uint32* line =
            pixGetData(pix.get()) + static_cast<std::ptrdiff_t>(y) * pixGetWpl(pix.get());
        for (int x = 0; x < image.width(); ++x) {
            const Color color = image.at(x, y);
            l_int32 red = 0;
            l_int32 green = 0;
            l_int32 blue = 0;
            extractRGBValues(line[x], &red, &green, &blue);
            sum += std::abs(red - int{color.red}) + std::abs(green - int{color.green}) +
                   std::abs(blue - int{color.blue});
        }
    }
    return sum / (3.0 * image.width() * image.height());
}

} // namespace

TEST_CASE("image files: other decoders read JPEG and WebP with the same colors") {
    for (const ImageFormat& format : {ImageFormat{JpegOptions{}}, ImageFormat{WebpOptions{}}}) {
        if (!is_supported(format)) continue;
        for (const std::size_t index : {std::size_t{0}, std::size_t{5}}) {
            INFO(to_string(format) << " of frame " << index);
            const Image& frame = frame_set::captured_frames().at(index);
            const auto file = encode_image(frame.view(), format);
            CHECK(difference_in(file, frame) < 3);
            CHECK(difference_in(file, decode_image(file)) < 1.5);
        }
    }
}
