#include "eyehand/winio/frame_diff.hpp"

#include "catch.hpp"
#include "printing.hpp"
#include "random_image.hpp"

using namespace eyehand::winio;

TEST_CASE("equal images have no changed rectangles") {
    const Image image = random_image({100, 70}, 1);
    const Image copy = image;
    CHECK(changed_rects(image.view(), copy.view()).empty());
    CHECK(same_pixels(image.view(), copy.view()));
}

TEST_CASE("a changed pixel is covered by one rectangle of its rows") {
    const Image before({100, 100});
    Image after = before;
    after.fill({70, 40, 1, 1}, {.red = 1});
    CHECK(changed_rects(before.view(), after.view()) == std::vector<Rect>{{64, 40, 32, 1}});
    CHECK_FALSE(same_pixels(before.view(), after.view()));
}

TEST_CASE("a difference only in alpha does not count") {
    const Image before({40, 40});
    Image after = before;
    after.fill({3, 3, 5, 5}, {.alpha = 7});
    CHECK(changed_rects(before.view(), after.view()).empty());
    CHECK(same_pixels(before.view(), after.view()));
}

TEST_CASE("images of different sizes differ everywhere") {
    const Image before({10, 10});
    const Image after({20, 40});
    CHECK(changed_rects(before.view(), after.view()) ==
          std::vector<Rect>{{0, 0, 20, 32}, {0, 32, 20, 8}});
    CHECK_FALSE(same_pixels(before.view(), after.view()));
}

TEST_CASE("a tile below one row is refused") {
    CHECK_THROWS_AS(changed_rects(Image({1, 1}).view(), Image({1, 1}).view(), 0),
                    std::invalid_argument);
}

TEST_CASE("a tile may be larger than the image") {
    const Image before({5, 5});
    Image after = before;
    after.fill({0, 4, 1, 1}, {.red = 1});
    CHECK(changed_rects(before.view(), after.view(), 1'000'000'000) ==
          std::vector<Rect>{{0, 4, 5, 1}});
}

TEST_CASE("the rectangles cover every change, do not overlap and are listed from top to bottom") {
    std::mt19937 random(42);
    for (int round = 0; round < 100; ++round) {
        const Size size{1 + static_cast<int>(random() % 90), 1 + static_cast<int>(random() % 90)};
        const int tile = 1 + static_cast<int>(random() % 40);
        const Image before(size);
        Image after = before;
        for (auto i = random() % 6; i-- > 0;)
            after.fill({static_cast<int>(random() % 90), static_cast<int>(random() % 90),
                        1 + static_cast<int>(random() % 20), 1 + static_cast<int>(random() % 20)},
                       {.green = 5});
        const auto rects = changed_rects(before.view(), after.view(), tile);
        std::vector<int> covered(static_cast<std::size_t>(size.width) *
                                 static_cast<std::size_t>(size.height));
        const auto at = [&](int x, int y) {
            return static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) +
                   static_cast<std::size_t>(x);
        };
        for (std::size_t i = 0; i < rects.size(); ++i) {
            const Rect& rect = rects[i];
            REQUIRE(intersection(rect, {0, 0, size.width, size.height}) == rect);
            REQUIRE(rect.height >= 1);
            REQUIRE(rect.height <= tile);
            if (i > 0) REQUIRE(rects[i - 1].y <= rect.y);
            for (int y = rect.y; y < rect.bottom(); ++y)
                for (int x = rect.x; x < rect.right(); ++x) ++covered[at(x, y)];
        }
        for (int y = 0; y < size.height; ++y) {
            for (int x = 0; x < size.width; ++x) {
                const int times = covered[at(x, y)];
                REQUIRE(times <= 1);
                if (after.at(x, y) != before.at(x, y)) REQUIRE(times == 1);
            }
        }
    }
}

TEST_CASE("the fingerprint of an image depends on its size and its colors only") {
    Image image({33, 7});
    image.fill({0, 0, 33, 7}, {1, 2, 3});
    const auto first = fingerprint(image.view());
    CHECK(fingerprint(Image(image.view()).view()) == first);
    image.fill({32, 6, 1, 1}, {1, 2, 3, 0}); // alpha
    CHECK(fingerprint(image.view()) == first);
    image.fill({32, 6, 1, 1}, {1, 2, 4});
    CHECK(fingerprint(image.view()) != first);
    CHECK(fingerprint(Image({7, 33}).view()) != fingerprint(Image({33, 7}).view()));
}
