#include "find_text.hpp"

#include "catch.hpp"
#include "frames.hpp"

using namespace stand_in;
using namespace stand_in_test;

namespace {

// One reader for all cases, so that areas that the frames share are read once.
Screen read(const std::string& png) {
    static Reader reader;
    return reader.read(png);
}

// The center of the target, in pixels of the 1920x1080 frame.
std::optional<Point> found_at(const Screen& screen, const Target& target) {
    const auto box = find(screen, target);
    if (!box) return std::nullopt;
    const Point center = box->center();
    return Point{center.x * 1920 / screen.width, center.y * 1080 / screen.height};
}

struct Expected {
    std::string frame;
    Target target;
    Box area; ///< of the 1920x1080 frame
};

const std::vector<Expected>& expectations() {
    static const std::vector<Expected> list{
        {"02-notepad.png", {.text = "File"}, {8, 24, 28, 18}},
        {"02-notepad.png", {.text = "Edit"}, {40, 24, 28, 18}},
        {"02-notepad.png", {.text = "Untitled - Notepad"}, {20, 4, 125, 18}},
        {"02-notepad.png", {.text = "Start"}, {4, 1060, 52, 20}},
        {"05-file-menu.png", {.text = "File"}, {6, 24, 30, 18}},
        {"05-file-menu.png", {.text = "Edit"}, {40, 24, 28, 18}},
        {"05-file-menu.png", {.text = "Save"}, {20, 80, 34, 14}},
        {"05-file-menu.png", {.text = "Save As..."}, {20, 97, 62, 15}},
        {"06-save-dialog.png", {.text = "Save"}, {548, 337, 96, 22}},
        {"06-save-dialog.png", {.text = "Cancel"}, {548, 365, 96, 23}},
        {"06-save-dialog.png", {.text = "File name:"}, {116, 336, 64, 18}},
        {"06-save-dialog.png", {.text = "Encoding:"}, {12, 400, 58, 18}},
        {"06-save-dialog.png", {.text = "ANSI Latin 1"}, {115, 404, 75, 18}},
        {"06-save-dialog.png", {.right_of = "Encoding:"}, {115, 403, 262, 20}},
        {"06-save-dialog.png", {.right_of = "File name:"}, {220, 337, 295, 21}},
        {"10-start-menu.png", {.text = "Start"}, {4, 1060, 52, 20}},
        {"10-start-menu.png", {.text = "Run..."}, {16, 1040, 40, 16}},
        {"10-start-menu.png", {.text = "Control Panel"}, {16, 1022, 84, 16}},
    };
    return list;
}

bool holds(const Box& box, const Point& point) {
    return point.x >= box.x && point.x < box.right() && point.y >= box.y && point.y < box.bottom();
}

Segment segment(int x, int y, const std::string& text) {
    const int width = 8 * static_cast<int>(text.size());
    return {{x, y, width, 10}, {{Word{text, {x, y, width, 10}, 95}}}};
}

} // namespace

TEST_CASE("Texts on a desktop of 1920x1080 are found in their places") {
    for (const Expected& expected : expectations()) {
        const auto at = found_at(read(frame(expected.frame)), expected.target);
        CAPTURE(expected.frame, describe(expected.target));
        REQUIRE(at);
        CAPTURE(at->x, at->y);
        CHECK(holds(expected.area, *at));
    }
}

TEST_CASE("The same texts are found on the image scaled to 1536x864") {
    for (const Expected& expected : expectations()) {
        const auto at = found_at(read(scaled_to_864_rows(frame(expected.frame))), expected.target);
        CAPTURE(expected.frame, describe(expected.target));
        REQUIRE(at);
        CAPTURE(at->x, at->y);
        CHECK(holds(expected.area, *at));
    }
}

TEST_CASE("The entries of an open list are found, including the selected one") {
    const Screen screen = read(frame("encoding-list-125-percent-1536x864.png"));

    const auto utf8 = find(screen, {.text = "UTF-8", .right_of = "Encoding:"});
    const auto utf16 = find(screen, {.text = "UTF-16", .right_of = "Encoding:"});
    const auto label = find(screen, {.text = "Encoding:"});
    const auto selected = find(screen, {.text = "ANSI Latin 1", .below = "Encoding:"});

    REQUIRE((utf8 && utf16 && label && selected));
    CHECK(utf16->y > label->bottom());
    CHECK(utf8->y > utf16->bottom());
    CHECK(selected->bottom() <= utf16->y);
}

TEST_CASE("A small desktop at 125 % is read at its own size") {
    const Screen screen = read(frame("save-dialog-125-percent-1280x720.png"));

    const auto save = find(screen, {.text = "Save"});
    const auto encoding = find(screen, {.right_of = "Encoding:"});

    REQUIRE((save && encoding));
    CHECK(holds({625, 390, 110, 28}, save->center()));
    CHECK(holds({132, 466, 275, 24}, encoding->center()));
}

TEST_CASE("A text in a moved window is found in its new place") {
    const std::string before = frame("06-save-dialog.png");
    const auto at = find(read(before), {.text = "Cancel"});
    const auto now = find(read(moved(before, 333, 222)), {.text = "Cancel"});
    REQUIRE((at && now));
    CHECK(std::abs(now->x - at->x - 333) <= 1);
    CHECK(std::abs(now->y - at->y - 222) <= 1);
}

TEST_CASE("A text that is not on the screen is not found") {
    const Screen screen = read(frame("02-notepad.png"));
    CHECK_FALSE(sees(screen, "Cancel"));
    CHECK_FALSE(sees(screen, "Save"));
    CHECK_FALSE(sees(screen, "File name:"));
}

TEST_CASE("An image that cannot be decoded is an error") {
    CHECK_THROWS_WITH(read("not an image"), ContainsSubstring("cannot be decoded"));
}

TEST_CASE("A whole caption is preferred to a part of a longer one") {
    const Screen screen{800, 600, {segment(0, 0, "Save As"), segment(200, 300, "Save")}};
    CHECK(find(screen, {.text = "Save"})->x == 200);
}

TEST_CASE("A caption read exactly is preferred to one that is only similar") {
    const Screen screen{800, 600, {segment(0, 0, "Sane"), segment(200, 300, "Save")}};
    CHECK(find(screen, {.text = "save"})->x == 200);
}

TEST_CASE("Among equal captions the one nearest to the other phrase wins, otherwise the topmost") {
    const Screen screen{
        800,
        600,
        {segment(0, 0, "Yes"), segment(300, 300, "Replace it"), segment(310, 340, "Yes")}};
    CHECK(find(screen, {.text = "Yes"})->y == 0);
    CHECK(find(screen, {.text = "Yes", .near = "Replace it"})->y == 340);
    CHECK(find(screen, {.text = "Yes", .below = "Replace it"})->y == 340);
    CHECK(find(screen, {.text = "Yes", .above = "Replace it"})->y == 0);
}

TEST_CASE("A target relative to a missing phrase is not found") {
    const Screen screen{800, 600, {segment(0, 0, "Yes")}};
    CHECK_FALSE(find(screen, {.text = "Yes", .near = "Replace it"}));
    CHECK_FALSE(find(screen, {.right_of = "Name:"}));
}

TEST_CASE("The empty field of a label is right of it, not at a distant caption") {
    const Screen screen{800, 600, {segment(0, 100, "Name:"), segment(500, 100, "Search")}};
    const auto field = find(screen, {.right_of = "Name:"});
    REQUIRE(field);
    CHECK(field->x > 60);
    CHECK(field->x < 150);
    CHECK(field->y == 100);
}

TEST_CASE("A phrase is found inside a file name") {
    const Screen screen{800, 600, {segment(0, 0, "eyehand-demo.txt - Notepad")}};
    CHECK(sees(screen, "eyehand-demo"));
    CHECK_FALSE(sees(screen, "other-name"));
}
