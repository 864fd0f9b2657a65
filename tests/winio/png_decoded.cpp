// Reads the output of encode_png, StripedPng and FramePipeline with libpng.
#include "decoded_png.hpp"
#include "eyehand/winio/frame_pipeline.hpp"
#include "eyehand/winio/png.hpp"
#include "eyehand/winio/scale.hpp"
#include "random_image.hpp"
#include "screen_image.hpp"

using namespace eyehand::winio;
using namespace screen_image;

TEST_CASE("libpng reads back every pixel at any size, stride and level") {
    std::mt19937 random(5);
    for (int round = 0; round < 60; ++round) {
        const Size whole{1 + static_cast<int>(random() % 300),
                         1 + static_cast<int>(random() % 300)};
        const Image image = random_image(whole, static_cast<unsigned>(round));
        const ImageView part = image.view().crop(
            {0, 0, 1 + static_cast<int>(random() % static_cast<unsigned>(whole.width)),
             1 + static_cast<int>(random() % static_cast<unsigned>(whole.height))});
        const PngOptions options{.level = static_cast<int>(random() % 10)};
        REQUIRE(same_colors_opaque(part, decoded(encode_png(part, options))));
    }
}

TEST_CASE("libpng reads back images around the height of a stripe") {
    for (const int height : {1, 31, 32, 33, 63, 64, 65}) {
        const Image image = random_image({5, height}, static_cast<unsigned>(height));
        CHECK(same_colors_opaque(image.view(), decoded(encode_png(image.view()))));
    }
}

TEST_CASE("libpng reads back flat color, where deflate produces no output for whole stripes") {
    Image image({1536, 864});
    image.fill({0, 0, 1536, 864}, {10, 20, 30, 255});
    CHECK(same_colors_opaque(image.view(), decoded(encode_png(image.view()))));
}

TEST_CASE("libpng reads back each kind of content, alone and mixed, from stripes of any height") {
    for (unsigned seed = 0; seed < 150; ++seed) {
        std::mt19937 random(seed);
        const Size size{1 + below(random, 200), 1 + below(random, 120)};
        const int stripe_rows = 1 + below(random, 40);
        const PngOptions options{.level = below(random, 10)};
        const Image image = any_screen(random, size);
        INFO("seed " << seed);
        REQUIRE(same_colors_opaque(image.view(),
                                   decoded(encode_png(image.view(), options, stripe_rows))));
    }
}

TEST_CASE("libpng reads back images one pixel wide and stripes of one row") {
    for (const Size size : {Size{1, 1}, {1, 2}, {1, 100}, {2, 33}, {100, 1}}) {
        const Image image = random_image(size, 9);
        CHECK(same_colors_opaque(image.view(), decoded(encode_png(image.view()))));
        CHECK(same_colors_opaque(image.view(), decoded(encode_png(image.view(), {}, 1))));
    }
}

TEST_CASE("libpng reads back flat stripes wider than zlib's window") {
    // Several pieces of deflated runs, at every fast level.
    Image image({5000, 40});
    image.fill({0, 7, 5000, 20}, {200, 100, 50, 255});
    image.fill({4990, 3, 3, 30}, {1, 2, 3, 255});
    for (const int level : {0, 1, 2, 3, 4}) {
        INFO("level " << level);
        CHECK(
            same_colors_opaque(image.view(), decoded(encode_png(image.view(), {.level = level}))));
    }
}

TEST_CASE("libpng reads back every screenshot of a pipeline over thousands of edits") {
    int screenshots = 0;
    for (unsigned seed = 0; seed < 120; ++seed) {
        std::mt19937 random(seed);
        const Size size{1 + below(random, 90), 1 + below(random, 150)};
        FramePipeline pipeline(
            {.format = PngOptions{.level = below(random, 3)}, .threads = 1 + below(random, 3)});
        Image screen = any_screen(random, size);
        for (int edit = 0; edit < 20; ++edit, ++screenshots) {
            paint(screen, any_part(random, {size.width, 1 + below(random, size.height)}), random);
            Frame frame;
            frame.pixels = screen;
            INFO("seed " << seed << ", edit " << edit);
            const Screenshot screenshot = pipeline.process(std::move(frame));
            REQUIRE(same_colors_opaque(screen.view(), decoded(*screenshot.file)));
        }
    }
    CHECK(screenshots >= 2000);
}

TEST_CASE("libpng reads back every scaled screenshot of a pipeline as the scaled frame") {
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::mt19937 random(seed);
        const Size size{1 + below(random, 90), 1 + below(random, 150)};
        const Size target{1 + below(random, 120), 1 + below(random, 150)};
        FramePipeline pipeline({.size = ExactSize{target}, .threads = 2});
        Image screen = any_screen(random, size);
        for (int edit = 0; edit < 10; ++edit) {
            const int y = below(random, size.height);
            paint(screen, {0, y, size.width, 1 + below(random, 3)}, random);
            Frame frame;
            frame.pixels = screen;
            INFO("seed " << seed << ", edit " << edit);
            const Screenshot screenshot = pipeline.process(std::move(frame));
            Image scaled;
            scale(screen.view(), target, scaled);
            REQUIRE(same_colors_opaque(scaled.view(), decoded(*screenshot.file)));
        }
    }
}
