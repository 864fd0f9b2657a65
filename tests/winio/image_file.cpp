// Image files of all formats, and screenshots in them.
#include "eyehand/winio/image_file.hpp"
#include "eyehand/winio/frame_pipeline.hpp"

#include "bar.hpp"
#include "catch.hpp"
#include "eyehand/winio/scale.hpp"
#include "printing.hpp"
#include "screen_image.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

using namespace eyehand::winio;
using namespace screen_image;

namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<ImageFormat> supported_formats() {
    std::vector<ImageFormat> all{PngOptions{}, JpegOptions{}};
    if (is_supported(WebpOptions{}))
        all.emplace_back(WebpOptions{});
    else
        WARN("this build has no WebP: only PNG and JPEG are tested");
    return all;
}

std::vector<ImageFormat> lossy_formats() {
    std::vector<ImageFormat> all = supported_formats();
    all.erase(all.begin());
    return all;
}

Frame frame_of(const Image& pixels) {
    Frame frame;
    frame.pixels = pixels;
    return frame;
}

/// Lines of text on a flat area, and a gradient.
Image example(Size size) {
    Image screen(size);
    screen.fill({0, 0, size.width, size.height}, {235, 240, 245, 255});
    for (int y = 3; y + 6 < size.height; y += 11)
        for (int x = 2; x < size.width; x += 5)
            screen.fill({x, y, 2, 4 + x % 3}, {60, 40, 20, 255});
    for (int y = size.height / 2; y < size.height; ++y)
        for (int x = 0; x < size.width / 2; ++x)
            screen.fill({x, y, 1, 1},
                        {static_cast<std::uint8_t>(x * 2), static_cast<std::uint8_t>(y),
                         static_cast<std::uint8_t>(x + y), 255});
    return screen;
}

/// The mean difference of a color of a pixel.
double difference(const Image& a, const Image& b) {
    REQUIRE(a.size() == b.size());
    double sum = 0;
    for (int y = 0; y < a.height(); ++y)
        for (std::size_t at = 0; at < a.row(y).size(); ++at)
            if (at % 4 != 3) sum += std::abs(int{a.row(y)[at]} - int{b.row(y)[at]});
    return sum / (3.0 * a.width() * a.height());
}

template <class Action>
Error error_of(Action action) {
    try {
        action();
    } catch (const Error& error) {
        return error;
    }
    throw std::logic_error("nothing was thrown");
}

} // namespace

TEST_CASE("image files: each format has a name, a media type and an extension") {
    CHECK(to_string(ImageFormat{PngOptions{}}) == "png");
    CHECK(media_type(JpegOptions{}) == "image/jpeg");
    CHECK(file_extension(JpegOptions{}) == ".jpg");
    CHECK(file_extension(WebpOptions{}) == ".webp");
    for (const ImageFormat& format :
         {ImageFormat{PngOptions{}}, ImageFormat{JpegOptions{}}, ImageFormat{WebpOptions{}}})
        CHECK(parse_image_format(to_string(format)) == format);
    CHECK_FALSE(parse_image_format("jpg"));
    CHECK_FALSE(parse_image_format("PNG"));
}

TEST_CASE("image files: a file name chooses the format by its extension") {
    CHECK(image_format_of_name("a/b.c.png") == ImageFormat{PngOptions{}});
    CHECK(image_format_of_name("X.JPG") == ImageFormat{JpegOptions{}});
    CHECK(image_format_of_name("x.jpeg") == ImageFormat{JpegOptions{}});
    CHECK(image_format_of_name("x.webp") == ImageFormat{WebpOptions{}});
    CHECK_FALSE(image_format_of_name("png"));
    CHECK_FALSE(image_format_of_name("x.gif"));
    CHECK_FALSE(image_format_of_name(""));
}

TEST_CASE("image files: only lossy formats have a quality") {
    CHECK_FALSE(quality_of(PngOptions{}));
    CHECK(quality_of(JpegOptions{.quality = 3}) == 3);
    CHECK(with_quality(WebpOptions{}, 9) == ImageFormat{WebpOptions{.quality = 9}});
    CHECK(with_quality(PngOptions{.level = 4}, 9) == ImageFormat{PngOptions{.level = 4}});
}

TEST_CASE("image files: an image is read back in its size, opaque and with almost its colors") {
    for (const Size size : {Size{1, 1}, Size{7, 16}, Size{16, 7}, Size{130, 97}}) {
        Image image = example(size);
        for (const ImageFormat& format : supported_formats()) {
            INFO(to_string(format) << " " << size.width << "x" << size.height);
            const Bytes file = encode_image(image.view(), format);
            CHECK(image_format_of(file)->index() == format.index());
            CHECK(image_file_size(file) == size);
            const Image read = decode_image(file);
            CHECK(difference(image, read) < 16);
            CHECK(read.at(0, 0).alpha == 255);
        }
    }
}

TEST_CASE("image files: PNG is lossless, and higher quality of the others is closer and larger") {
    const Image image = example({320, 200});
    CHECK(difference(image, decode_image(encode_image(image.view(), PngOptions{}))) == 0);
    for (const ImageFormat& format : lossy_formats()) {
        std::size_t larger = 0;
        double closer = 256;
        for (const int quality : {5, 40, 85, 100}) {
            INFO(to_string(format) << " " << quality);
            const Bytes file = encode_image(image.view(), with_quality(format, quality));
            CHECK(file.size() > larger);
            larger = file.size();
            const double now = difference(image, decode_image(file));
            CHECK(now < closer);
            closer = now;
        }
        CHECK(closer < 4);
    }
}

TEST_CASE("image files: a JPEG is complete and states the size") {
    const Image image = example({67, 35});
    const Bytes file = encode_image(image.view(), JpegOptions{});
    CHECK(file[file.size() - 2] == 0xff);
    CHECK(file[file.size() - 1] == 0xd9);
    const Bytes size{0xff, 0xc0, 0, 17, 8, 0, 35, 0, 67, 3};
    CHECK(std::search(file.begin(), file.end(), size.begin(), size.end()) != file.end());
}

TEST_CASE("image files: alpha does not change a lossy file") {
    Image image = example({40, 30});
    Image transparent = image;
    for (int y = 0; y < 30; ++y)
        for (std::size_t at = 3; at < transparent.stride(); at += 4) transparent.row(y)[at] = 0;
    for (const ImageFormat& format : lossy_formats())
        CHECK(encode_image(image.view(), format) == encode_image(transparent.view(), format));
}

TEST_CASE("image files: options out of range and empty images are refused") {
    const Image image({4, 4});
    for (const ImageFormat& format :
         {ImageFormat{PngOptions{.level = 10}}, ImageFormat{JpegOptions{.quality = 0}},
          ImageFormat{JpegOptions{.quality = 101}}, ImageFormat{WebpOptions{.quality = -1}}}) {
        CHECK_THROWS_AS(encode_image(image.view(), format), std::invalid_argument);
        CHECK_THROWS_AS(FramePipeline({.format = format}), std::invalid_argument);
    }
    for (const ImageFormat& format : supported_formats())
        CHECK_THROWS_AS(encode_image({}, format), std::invalid_argument);
}

TEST_CASE("image files: a side that is too long for the format is refused with the remedy") {
    const auto refusal = [](Size size, const ImageFormat& format) {
        return error_of([&] { (void)encode_image(Image(size).view(), format); });
    };
    const Error jpeg = refusal({65536, 1}, JpegOptions{});
    CHECK(jpeg.code() == errc::encode_failed);
    CHECK_THAT(jpeg.what(), ContainsSubstring("at most 65535 pixels per side: choose"));
    if (is_supported(WebpOptions{}))
        CHECK(refusal({1, 16384}, WebpOptions{}).code() == errc::encode_failed);
}

TEST_CASE("image files: damaged files, other files and files beyond the limits are refused") {
    const auto refusal = [](const Bytes& file, const ImageLimits& limits = {}) {
        const Error error = error_of([&] { (void)decode_image(file, limits); });
        CHECK(error.code() == errc::decode_failed);
        return std::string(error.what());
    };
    CHECK_THAT(refusal({}), ContainsSubstring("not PNG, JPEG or WebP"));
    CHECK_THAT(refusal({'G', 'I', 'F', '8', '9', 'a'}), ContainsSubstring("not PNG, JPEG or WebP"));
    for (const ImageFormat& format : supported_formats()) {
        INFO(to_string(format));
        const Bytes file = encode_image(example({60, 40}).view(), format);
        CHECK_THAT(refusal({file.begin(), file.begin() + 16}), ContainsSubstring("cannot be read"));
        CHECK_THAT(refusal(file, {.size = {59, 40}}), ContainsSubstring("cannot be read"));
        CHECK_THAT(refusal(file, {.pixels = 2399}), ContainsSubstring("cannot be read"));
        CHECK(decode_image(file, {.size = {60, 40}, .pixels = 2400}).size() == Size{60, 40});
        CHECK_THROWS_AS(image_file_size(file, {.pixels = 2399}), Error);
    }
}

TEST_CASE("image files: a JPEG of another form than the library writes is refused") {
    const Bytes file = encode_image(example({60, 40}).view(), JpegOptions{});
    const auto refusal = [](Bytes changed) {
        const Error error = error_of([&] { (void)decode_image(changed); });
        CHECK(error.code() == errc::decode_failed);
        return std::string(error.what());
    };
    const auto with = [&](std::size_t at, std::uint8_t value) {
        Bytes changed = file;
        changed.at(at) = value;
        return changed;
    };
    const Bytes tables{0xFF, 0xC4};
    const auto huffman = std::search(file.begin(), file.end(), tables.begin(), tables.end());
    const auto at = static_cast<std::size_t>(huffman - file.begin());
    CHECK_THAT(refusal(with(at + 5, 9)), ContainsSubstring("another program"));
    CHECK_THAT(refusal(with(at + 4, 0x11)), ContainsSubstring("another program"));
    CHECK_THAT(refusal(with(165, 0x41)), ContainsSubstring("another program")); // sampling
    CHECK_THAT(refusal({file.begin(), file.end() - 1}), ContainsSubstring("cannot be read"));
    Bytes more = file;
    more.insert(more.end() - 2, {0xFF, 0xC4, 0, 2});
    CHECK_THAT(refusal(more), ContainsSubstring("unexpected marker"));
}

TEST_CASE("image files: the size of a WebP file needs no libwebp") {
    const auto webp = [](std::initializer_list<int> chunk) {
        Bytes file{'R', 'I', 'F', 'F', 0, 0, 0, 0, 'W', 'E', 'B', 'P'};
        for (const int byte : chunk) file.push_back(static_cast<std::uint8_t>(byte));
        file.resize(64); // the pixels are not read
        return file;
    };
    // The first bytes of files of libwebp with 60x40 pixels: lossy, lossless, and with alpha.
    const Bytes lossy =
        webp({'V', 'P', '8', ' ', 34, 0, 0, 0, 0x30, 0, 0, 0x9D, 1, 0x2A, 60, 0, 40, 0});
    const Bytes lossless = webp({'V', 'P', '8', 'L', 34, 0, 0, 0, 0x2F, 0x3B, 0xC0, 0x09, 0x00});
    const Bytes extended =
        webp({'V', 'P', '8', 'X', 10, 0, 0, 0, 0x10, 0, 0, 0, 59, 0, 0, 39, 0, 0});
    for (const Bytes& file : {lossy, lossless, extended}) {
        CHECK(image_file_size(file) == Size{60, 40});
        CHECK(error_of([&] { (void)image_file_size(file, {.pixels = 2399}); }).code() ==
              errc::decode_failed);
        CHECK(error_of([&] {
                  (void)image_file_size({file.data(), 24});
              }).code() == errc::decode_failed);
    }
    if (is_supported(WebpOptions{}))
        CHECK(image_file_size(encode_image(example({60, 40}).view(), WebpOptions{})) ==
              Size{60, 40});
    const auto refusal = [](const Bytes& file) {
        const Error error = error_of([&] { (void)image_file_size(file); });
        CHECK(error.code() == errc::decode_failed);
        return std::string(error.what());
    };
    Bytes animation = extended;
    animation[20] = 2;
    CHECK_THAT(refusal(animation), ContainsSubstring("animation"));
    Bytes no_key_frame = lossy;
    no_key_frame[20] = 0x31;
    CHECK_THAT(refusal(no_key_frame), ContainsSubstring("damaged"));
    Bytes other_signature = lossless;
    other_signature[20] = 0;
    CHECK_THAT(refusal(other_signature), ContainsSubstring("damaged"));
    CHECK_THAT(refusal(webp({'A', 'L', 'P', 'H'})), ContainsSubstring("damaged"));
}

TEST_CASE("image files: a build without WebP says so") {
    if (is_supported(WebpOptions{})) {
        WARN("skipped: this build has WebP");
        return;
    }
    const Error error = error_of([] { (void)FramePipeline({.format = WebpOptions{}}); });
    CHECK(error.code() == errc::not_supported);
    CHECK_THAT(error.what(), ContainsSubstring("this build has no WebP: choose png or jpeg"));
    const Bytes file{'R', 'I', 'F', 'F', 1, 0, 0, 0, 'W', 'E', 'B', 'P'};
    const Error unread = error_of([&] { (void)decode_image(file); });
    CHECK(unread.code() == errc::not_supported);
    CHECK_THAT(unread.what(), ContainsSubstring("cannot be read: this build has no WebP"));
}

TEST_CASE("screenshots: an unchanged frame gives the same file object in each format") {
    for (const ImageFormat& format : supported_formats()) {
        INFO(to_string(format));
        const Image screen = example({90, 70});
        FramePipeline pipeline({.size = ExactSize{{50, 40}}, .format = format});
        const Screenshot first = pipeline.process(frame_of(screen));
        CHECK(first.media_type == media_type(format));
        CHECK(image_file_size(*first.file) == Size{50, 40});
        CHECK(pipeline.process(frame_of(screen)).file == first.file);
        CHECK(*FramePipeline(pipeline.options()).process(frame_of(screen)).file == *first.file);
    }
}

TEST_CASE("screenshots: a lossy screenshot is the encoded scaled frame") {
    const Image screen = example({90, 70});
    for (const ImageFormat& format : lossy_formats())
        for (const Size size : {Size{90, 70}, Size{60, 35}}) {
            FramePipeline pipeline({.size = ExactSize{size}, .format = format});
            CHECK(*pipeline.process(frame_of(screen)).file ==
                  encode_image(scale(screen.view(), size).view(), format));
        }
}

TEST_CASE("screenshots: a lossy screenshot depends on frame and overlay, not on the history") {
    std::mt19937 random(12);
    for (const ImageFormat& format : lossy_formats())
        for (int round = 0; round < 6; ++round) {
            const Size source{40 + below(random, 80), 40 + below(random, 200)};
            ScreenshotOptions options;
            options.size = round % 2 == 0 ? ExactSize{source} : ExactSize{{33, 140}};
            options.format = format;
            options.threads = 1 + below(random, 3);
            FramePipeline pipeline(options);
            Image screen = any_screen(random, source);
            for (int step = 0; step < 4; ++step) {
                const Screenshot screenshot = pipeline.process(frame_of(screen));
                FramePipeline fresh(options);
                CHECK(*fresh.process(frame_of(screen)).file == *screenshot.file);
                const Bar bar({below(random, screenshot.size.height), below(random, 40)});
                const auto annotated = pipeline.annotate(bar);
                CHECK(*annotated == *fresh.annotate(bar));
                CHECK(image_format_of(*annotated)->index() == format.index());
                paint(screen, any_part(random, source), random);
            }
        }
}
