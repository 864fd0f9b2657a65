#include "win32/absolute_coordinates.hpp"

#include "catch.hpp"
#include "printing.hpp"

#include <cmath>
#include <limits>

using namespace eyehand::winio;
using win32::to_absolute;

TEST_CASE("every pixel is hit by both known conversions from absolute coordinates") {
    for (const int width :
         {640, 800, 1024, 1280, 1366, 1536, 1600, 1920, 2560, 3440, 3840, 5120, 7680}) {
        const Rect desktop{-width / 3, 0, width, 100};
        for (int x = desktop.x; x < desktop.right(); ++x) {
            const std::int64_t absolute = to_absolute({x, 0}, desktop).x;
            REQUIRE(desktop.x + (absolute * width >> 16) == x);
            const double scaled = static_cast<double>(absolute) * (width - 1) / 65535;
            REQUIRE(desktop.x + static_cast<int>(std::lround(scaled)) == x);
        }
    }
}

TEST_CASE("every row is hit by both known conversions, also above the primary display") {
    for (const int height : {480, 600, 768, 864, 900, 1024, 1080, 1200, 1440, 2160, 3240}) {
        const Rect desktop{0, -height / 2, 100, height};
        for (int y = desktop.y; y < desktop.bottom(); ++y) {
            const std::int64_t absolute = to_absolute({0, y}, desktop).y;
            REQUIRE(desktop.y + (absolute * height >> 16) == y);
            const double scaled = static_cast<double>(absolute) * (height - 1) / 65535;
            REQUIRE(desktop.y + static_cast<int>(std::lround(scaled)) == y);
        }
    }
}

TEST_CASE("the widest desktop does not overflow") {
    constexpr int width = std::numeric_limits<int>::max();
    const Rect desktop{std::numeric_limits<int>::min(), 0, width, 1};
    CHECK(to_absolute({-2, 0}, desktop).x == 65535);
    CHECK(to_absolute({desktop.x, 0}, desktop).x == 0);
}

TEST_CASE("points outside the virtual desktop are clamped to its edge") {
    const Rect desktop{-100, -100, 200, 200};
    CHECK(to_absolute({-500, 500}, desktop) == to_absolute({-100, 99}, desktop));
}
