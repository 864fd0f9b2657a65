// The file sizes of screenshots of real screens, and their accuracy after scaling.
#include "frame_set.hpp"

#include "catch.hpp"
#include "eyehand/winio/png.hpp"
#include "eyehand/winio/scale.hpp"

#include <zlib.h>

#include <algorithm>
#include <cmath>

using namespace eyehand::winio;

namespace {

// The size of a PNG file with unfiltered rows, deflated as one stream with zlib's level 6, as most
// programs write it.
std::size_t plain_png_bytes(const Image& image) {
    std::vector<std::uint8_t> rows((image.stride() / 4 * 3 + 1) *
                                   static_cast<std::size_t>(image.height()));
    std::uint8_t* out = rows.data();
    for (int y = 0; y < image.height(); ++y) {
        const std::uint8_t* bgra = image.view().row(y).data();
        *out++ = 0;
        for (int x = 0; x < image.width(); ++x, bgra += 4, out += 3) {
            out[0] = bgra[2];
            out[1] = bgra[1];
            out[2] = bgra[0];
        }
    }
    std::vector<std::uint8_t> deflated(compressBound(rows.size()));
    uLongf size = deflated.size();
    REQUIRE(compress2(deflated.data(), &size, rows.data(), rows.size(), 6) == Z_OK);
    return 8 + 25 + 12 + size + 12; // signature, IHDR, IDAT's frame, IEND
}

// The mean of the area that an output pixel covers, in double precision, by the definition.
double mean_of_area(const ImageView& source, Size size, int x, int y, std::size_t channel) {
    const double left = static_cast<double>(x) * source.width() / size.width;
    const double right = static_cast<double>(x + 1) * source.width() / size.width;
    const double top = static_cast<double>(y) * source.height() / size.height;
    const double bottom = static_cast<double>(y + 1) * source.height() / size.height;
    double sum = 0;
    for (int v = static_cast<int>(top); v < bottom && v < source.height(); ++v)
        for (int u = static_cast<int>(left); u < right && u < source.width(); ++u)
            sum += (std::min(right, u + 1.0) - std::max<double>(left, u)) *
                   (std::min(bottom, v + 1.0) - std::max<double>(top, v)) *
                   source.row(v)[static_cast<std::size_t>(u) * 4 + channel];
    return sum / ((right - left) * (bottom - top));
}

// Root mean square error against area averaging, in units of the full range.
double error_of(const ImageView& result, const ImageView& source, Size size) {
    double squares = 0;
    for (int y = 0; y < result.height(); ++y)
        for (int x = 0; x < result.width(); ++x)
            for (std::size_t channel = 0; channel < 3; ++channel) {
                const double is = result.row(y)[static_cast<std::size_t>(x) * 4 + channel];
                const double error = (is - mean_of_area(source, size, x, y, channel)) / 255;
                squares += error * error;
            }
    return std::sqrt(squares / (3.0 * result.width() * result.height()));
}

} // namespace

TEST_CASE("PNG files of real screens are hardly larger than those of the slow reference encoder") {
    std::size_t ours = 0;
    std::size_t plain = 0;
    for (const Image& frame : frame_set::captured_frames()) {
        const std::size_t our_bytes = encode_png(frame.view()).size();
        const std::size_t plain_bytes = plain_png_bytes(frame);
        INFO("frame " << 1 + (&frame - frame_set::captured_frames().data()) << ": " << our_bytes
                      << " bytes, plain " << plain_bytes);
        CHECK(our_bytes * 100 <= plain_bytes * 150);
        ours += our_bytes;
        plain += plain_bytes;
    }
    INFO("together " << ours << " bytes, plain " << plain);
    CHECK(ours * 100 <= plain * 115);
}

TEST_CASE("a scaled page of text is as close to area averaging as integers can be") {
    // Rounding alone gives 1 / sqrt(12) of a step, .0011; GDI's HALFTONE measures .0086.
    const auto& screens = frame_set::screenshots();
    const Image& page = screens[screens.size() - 2];
    const Size size{1536, 864};
    Image scaled;
    scale(page.view(), size, scaled);
    const Rect part{0, 0, 768, 200};
    CHECK(error_of(scaled.view().crop(part), page.view(), size) < 0.0012);
}
