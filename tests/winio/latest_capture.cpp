#include "latest_capture.hpp"

#include "eyehand/winio/frame_diff.hpp"

#include "catch.hpp"
#include "printing.hpp"
#include "random_image.hpp"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

using namespace eyehand::winio;

namespace {

constexpr Size captured_size{24, 30};

void capture(LatestCapture& latest, const Image& screen, Image& into) {
    latest.begin(screen.size());
    latest.take(screen.view(), 0);
    latest.give(into);
}

/// Whether the pixels are equal, by comparing all rows.
bool are_equal(const Image& a, const Image& b) { return same_pixels(a.view(), b.view()); }

bool differ_only_in(const RowRange& rows, const Image& a, const Image& b) {
    for (int y = 0; y < a.height(); ++y)
        if ((y < rows.first || y >= rows.end()) && !std::ranges::equal(a.row(y), b.row(y)))
            return false;
    return true;
}

} // namespace

TEST_CASE("captures of an unchanged screen cannot differ in any row") {
    const Image screen = random_image(captured_size, 1);
    LatestCapture latest;
    Image first;
    Image second;
    capture(latest, screen, first);
    capture(latest, screen, second);
    CHECK(are_equal(first, screen));
    CHECK(are_equal(second, screen));
    CHECK(first.rows_that_may_differ(second).count == 0);
    CHECK(changed_rects(first, second).empty());
    CHECK(same_pixels(first, second));
}

TEST_CASE("captures know the rows that have changed between them") {
    Image screen = random_image(captured_size, 1);
    LatestCapture latest;
    std::vector<Image> captures(4);
    capture(latest, screen, captures[0]);
    for (int i = 1; i < 4; ++i) {
        screen.fill({3, 5 * i, 4, 2}, {.red = 200});
        capture(latest, screen, captures[static_cast<std::size_t>(i)]);
    }
    CHECK(captures[0].rows_that_may_differ(captures[1]) == RowRange{5, 2});
    CHECK(captures[3].rows_that_may_differ(captures[1]) == RowRange{10, 7});
    CHECK(captures[0].rows_that_may_differ(captures[3]) == RowRange{5, 12});
    CHECK(changed_rects(captures[0], captures[3], 8) ==
          changed_rects(captures[0].view(), captures[3].view(), 8));
    CHECK_FALSE(same_pixels(captures[0], captures[3]));
}

TEST_CASE("rows that were edited after a capture may differ, and the next capture replaces them") {
    const Image screen = random_image(captured_size, 1);
    LatestCapture latest;
    Image edited;
    Image other;
    capture(latest, screen, edited);
    capture(latest, screen, other);
    edited.fill({0, 7, 2, 3}, {.green = 77});
    edited.row(20)[0] ^= 0xFFU;
    CHECK(edited.rows_that_may_differ(other) == RowRange{7, 14});
    CHECK_FALSE(same_pixels(edited, other));
    capture(latest, screen, edited);
    CHECK(are_equal(edited, screen));
    CHECK(edited.rows_that_may_differ(other).count == 0);

    edited.data()[5] ^= 0xFFU;
    CHECK(edited.rows_that_may_differ(other) == RowRange{0, captured_size.height});
    capture(latest, screen, edited);
    CHECK(are_equal(edited, screen));
}

TEST_CASE("after a capture that failed in the middle, the next one is complete") {
    Image screen = random_image(captured_size, 1);
    LatestCapture latest;
    Image before;
    Image after;
    capture(latest, screen, before);
    after = before;
    const Image old = screen;
    screen.fill({0, 2, 10, 20}, {.red = 1});
    latest.begin(captured_size);
    latest.take(screen.view().crop({0, 0, captured_size.width, 10}), 0);
    // The rest fails, and the screen becomes what it was.
    SECTION("the screen stays") { capture(latest, screen, after); }
    SECTION("the screen becomes what it was") {
        screen = old;
        capture(latest, screen, after);
    }
    CHECK(are_equal(after, screen));
    CHECK(differ_only_in(before.rows_that_may_differ(after), before, after));
}

TEST_CASE("images of different captures, sizes or none may differ in all rows") {
    const RowRange all{0, captured_size.height};
    const Image screen = random_image(captured_size, 1);
    LatestCapture latest;
    LatestCapture another;
    Image image;
    Image of_another;
    capture(latest, screen, image);
    capture(another, screen, of_another);
    CHECK(image.rows_that_may_differ(of_another) == all);
    CHECK(image.rows_that_may_differ(screen) == all);
    CHECK(screen.rows_that_may_differ(image) == all);
    capture(another, screen, image);
    CHECK(are_equal(image, screen));

    const Image larger = random_image({30, 31}, 2);
    capture(latest, larger, image);
    CHECK(are_equal(image, larger));
    capture(latest, screen, image);
    CHECK(are_equal(image, screen));
    image.resize({5, 5});
    CHECK(image.rows_that_may_differ(Image({5, 5})) == RowRange{0, 5});
}

TEST_CASE("a moved image leaves an empty one, which can be assigned to") {
    const Image screen = random_image(captured_size, 1);
    LatestCapture latest;
    Image image;
    capture(latest, screen, image);
    Image moved = std::move(image);
    // NOLINTBEGIN(bugprone-use-after-move,clang-analyzer-cplusplus.Move): its state is specified
    CHECK(image.empty());
    CHECK(image.view().empty());
    CHECK(are_equal(moved, screen));
    image = moved;
    CHECK(are_equal(image, screen));
    moved = std::move(image);
    CHECK(image.empty());
    // NOLINTEND(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
    Image& same = moved;
    moved = same;
    CHECK(are_equal(moved, screen));
}

TEST_CASE("whatever happens to captured images, they are right about the rows that may differ") {
    std::mt19937 random(GENERATE(1U, 2U, 3U));
    const auto any = [&](int count) {
        return std::uniform_int_distribution<int>(0, count - 1)(random);
    };
    const auto paint = [&](Image& image) {
        const auto value = static_cast<std::uint8_t>(any(256));
        image.fill({any(captured_size.width), any(captured_size.height), 1 + any(6), 1 + any(4)},
                   {.red = value});
    };
    Image screen = random_image(captured_size, 1);
    std::vector<LatestCapture> capturers(2);
    std::vector<Image> images(5, screen);
    std::vector<Image> expected = images;
    Fingerprints fingerprints;
    for (int step = 0; step < 2000; ++step) {
        const auto which = static_cast<std::size_t>(any(5));
        const auto other = static_cast<std::size_t>(any(5));
        switch (any(6)) {
        case 0:
        case 1:
            capture(capturers[any(8) == 0 ? 1 : 0], screen, images[which]);
            expected[which] = Image(screen.view());
            break;
        case 2:
            paint(screen);
            break;
        case 3: {
            const std::mt19937 same = random;
            paint(images[which]);
            random = same;
            paint(expected[which]);
            break;
        }
        case 4:
            images[which] = images[other];
            expected[which] = Image(expected[other].view());
            break;
        default:
            std::swap(images[which], images[other]);
            std::swap(expected[which], expected[other]);
        }
        REQUIRE(are_equal(images[which], expected[which]));
        REQUIRE(fingerprints.of(images[which]) == fingerprint(expected[which].view()));
        REQUIRE(differ_only_in(images[which].rows_that_may_differ(images[other]), images[which],
                               images[other]));
        REQUIRE(changed_rects(images[which], images[other], 8) ==
                changed_rects(images[which].view(), images[other].view(), 8));
    }
}
