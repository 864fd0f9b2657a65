#include "eyehand/winio/image_size.hpp"

#include "catch.hpp"
#include "printing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

using namespace eyehand::winio;

TEST_CASE("a screenshot fits into its box and is never larger than the source") {
    CHECK(image_size({1920, 1080}, FitWithin{{1536, 864}}) == Size{1536, 864});
    CHECK(image_size({1920, 1080}, FitWithin{{1000, 1000}}) == Size{1000, 563});
    CHECK(image_size({640, 480}, FitWithin{{1536, 864}}) == Size{640, 480});
}

TEST_CASE("an exact size does not depend on the source") {
    CHECK(image_size({640, 480}, ExactSize{{1000, 10}}) == Size{1000, 10});
}

TEST_CASE("a percentage applies to both sides, rounded and at least one pixel") {
    CHECK(image_size({1920, 1080}, Percent{50}) == Size{960, 540});
    CHECK(image_size({1921, 1080}, Percent{33.3}) == Size{640, 360});
    CHECK(image_size({100, 1}, Percent{400}) == Size{400, 4});
    CHECK(image_size({100, 1}, Percent{0.001}) == Size{1, 1});
}

TEST_CASE("sizes out of range are refused") {
    const Size source{100, 100};
    CHECK_THROWS_AS(image_size({0, 5}, Percent{}), std::invalid_argument);
    CHECK_THROWS_AS(image_size(source, FitWithin{{0, 5}}), std::invalid_argument);
    CHECK_THROWS_AS(image_size(source, ExactSize{{5, 0}}), std::invalid_argument);
    for (const double percent : {0.0, -1.0, 400.1, std::numeric_limits<double>::quiet_NaN()})
        CHECK_THROWS_AS(image_size(source, Percent{percent}), std::invalid_argument);
    CHECK_THROWS_AS(image_size(source, FitTokens{.tokens = 0}), std::invalid_argument);
    CHECK_THROWS_AS(image_size(source, FitTokens{.multiple = 0}), std::invalid_argument);
}

TEST_CASE("a source within its tokens is rounded to the nearest multiples") {
    CHECK(image_size({1920, 1080}, FitTokens{.tokens = 5000, .multiple = 28}) == Size{1932, 1092});
    CHECK(image_size({1920, 1080}, FitTokens{.tokens = 2040, .multiple = 32}) == Size{1920, 1088});
    CHECK(image_size({3, 3}, FitTokens{}) == Size{32, 32});
}

// Results of smart_resize for these sources, with max_pixels = tokens * multiple^2 and min_pixels =
// 0.
TEST_CASE("a larger source is scaled down by Qwen's own rule") {
    struct Example {
        Size source;
        FitTokens requested;
        Size expected;
    };
    for (const auto& [source, requested, expected] :
         {Example{{1920, 1080}, {1280, 28}, {1316, 728}},
          Example{{1920, 1080}, {1024, 32}, {1344, 768}},
          Example{{3840, 2160}, {2048, 32}, {1920, 1056}},
          Example{{1080, 1920}, {1024, 28}, {672, 1176}},
          Example{{1366, 768}, {256, 32}, {672, 352}},
          Example{{3822, 116}, {6882, 28}, {3808, 112}}, // halves are rounded to even
          Example{{304, 48}, {1000, 32}, {320, 64}}})
        CHECK(image_size(source, requested) == expected);
}

TEST_CASE("with tokens, sides are multiples and never exceed the tokens or the rounded source") {
    std::mt19937 random(7); // NOLINT(cert-msc51-cpp): the same sizes in each run
    const auto any = [&](int max) {
        // Small and large sizes.
        const double log = std::uniform_real_distribution(0.0, std::log(max))(random);
        return std::clamp(static_cast<int>(std::exp(log)), 1, max);
    };
    for (int i = 0; i < 100'000; ++i) {
        const Size source{any(16'000), any(16'000)};
        const FitTokens requested{.tokens = any(20'000), .multiple = any(64)};
        const Size size = image_size(source, requested);
        INFO(source << " in " << requested.tokens << " tokens of " << requested.multiple << ": "
                    << size);
        const auto rounded = [&](int side) {
            return std::max(1.0, std::nearbyint(static_cast<double>(side) / requested.multiple)) *
                   requested.multiple;
        };
        REQUIRE(size.width > 0);
        REQUIRE(size.height > 0);
        REQUIRE(size.width % requested.multiple == 0);
        REQUIRE(size.height % requested.multiple == 0);
        REQUIRE(std::int64_t{size.width / requested.multiple} *
                    (size.height / requested.multiple) <=
                requested.tokens);
        REQUIRE(size.width <= rounded(source.width));
        REQUIRE(size.height <= rounded(source.height));
    }
}

TEST_CASE("an image size survives a round trip through text") {
    struct Row {
        const char* text;
        ImageSize requested;
        const char* written;
    };
    const Row row = GENERATE(Row{"1536x864", FitWithin{{1536, 864}}, "1536x864"},
                             Row{"640X480!", ExactSize{{640, 480}}, "640x480!"},
                             Row{"62.5%", Percent{62.5}, "62.5%"},
                             Row{"tokens:1024", FitTokens{1024, 32}, "tokens:1024:32"},
                             Row{"tokens:256:28", FitTokens{256, 28}, "tokens:256:28"});
    CHECK(parse_image_size(row.text) == row.requested);
    CHECK(to_string(row.requested) == row.written);
    CHECK(parse_image_size(row.written) == row.requested);
}

TEST_CASE("text that is not an image size is refused") {
    for (const char* text : {"",
                             "x",
                             "big",
                             "1536",
                             "0x5",
                             "5x0",
                             "16385x5",
                             "99999x1!",
                             "0%",
                             "401%",
                             "-5%",
                             "%",
                             "nan%",
                             "tokens:",
                             "tokens:0",
                             "tokens:-4",
                             "tokens:5:",
                             "tokens:5:0",
                             "tokens:5:257",
                             "tokens:9999999",
                             "tokens:5:28:1",
                             "1536x864 "}) {
        INFO(text);
        CHECK_FALSE(parse_image_size(text));
    }
}

TEST_CASE("no side becomes too long by percent or tokens") {
    CHECK(image_size({5120, 1440}, Percent{400}) == Size{16384, 4608});
    const Size size = image_size({60000, 10000}, FitTokens{1'000'000, 28});
    CHECK(size.width <= max_image_side);
    CHECK(size.width % 28 == 0);
}
