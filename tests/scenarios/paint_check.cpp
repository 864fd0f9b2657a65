// Checks the results of the scenario "paint": the input of the paint program, the files of each
// turn, and the screenshots.
//   eyehand-paint-check RUN-DIRECTORY LAYOUT TOLD       LAYOUT: flat or turn_dirs
// TOLD is the file that eyehand-paint-window wrote. Prints each problem on a line, and then exits
// with 1.
#include "eyehand/winio/geometry.hpp"
#include "eyehand/winio/image.hpp"
#include "read_png.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using namespace eyehand;

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using winio::Color;
using winio::Image;
using winio::NormPoint;
using winio::Point;
using winio::Rect;

int problems = 0;

void expect(bool holds, const std::string& what) {
    if (holds) return;
    ++problems;
    fmt::print("wrong: {}\n", what);
}

std::string read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(path.string() + " cannot be read");
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// ---- the input of the program -------------------------------------------------------------------

struct Stroke {
    Point from;
    Point to;
    int moves = 0;
};

struct ReceivedInput {
    Rect canvas;
    Rect button;
    std::vector<Stroke> strokes;
    int clicks = 0;
};

Rect read_rect(std::istream& in) {
    int left = 0, top = 0, right = 0, bottom = 0;
    in >> left >> top >> right >> bottom;
    return {left, top, right - left, bottom - top};
}

ReceivedInput read_told(const fs::path& path) {
    ReceivedInput told;
    std::istringstream lines(read_file(path));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string what;
        words >> what;
        if (what == "ready") {
            told.canvas = read_rect(words);
            told.button = read_rect(words);
        } else if (what == "stroke") {
            Stroke stroke;
            words >> stroke.from.x >> stroke.from.y >> stroke.to.x >> stroke.to.y >> stroke.moves;
            told.strokes.push_back(stroke);
        } else if (what == "click") {
            ++told.clicks;
        } else {
            throw std::runtime_error("unexpected line of the paint window: " + line);
        }
        if (!words) throw std::runtime_error("unexpected line of the paint window: " + line);
    }
    return told;
}

// ---- the files of the run -----------------------------------------------------------------------

constexpr std::size_t turns_of_the_run = 6; // the boot reply's, three strokes, a click, the end
constexpr std::size_t click_turn = 5;
constexpr std::size_t first_stroke_turn = 2;

struct Turn {
    json::object reply;
    Image raw;
    Image annotated;
};

struct Layout {
    bool flat = true;

    [[nodiscard]] std::string raw(std::size_t turn) const {
        return fmt::format(
            fmt::runtime(flat ? "turn_{:04}_raw.png" : "turn_{:04}/screenshot_raw.png"), turn);
    }
    [[nodiscard]] std::string annotated(std::size_t turn) const {
        return fmt::format(
            fmt::runtime(flat ? "turn_{:04}_annotated.png" : "turn_{:04}/screenshot_annotated.png"),
            turn);
    }
    [[nodiscard]] static std::string reply(std::size_t turn) {
        return fmt::format("turn_{:04}/vlm_output.json", turn);
    }
};

// The files whose names begin with "turn", and those in the folder "screenshots" of other profiles.
std::set<std::string> turn_files(const fs::path& run) {
    std::set<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(run)) {
        const std::string name = fs::relative(entry.path(), run).generic_string();
        if (entry.is_regular_file() && (name.starts_with("turn") || name.starts_with("screens")))
            files.insert(name);
    }
    return files;
}

std::set<std::string> expected_files(const Layout& layout) {
    std::set<std::string> files;
    if (layout.flat) files.insert("turns.jsonl");
    for (std::size_t turn = 1; turn <= turns_of_the_run; ++turn) {
        files.insert(layout.raw(turn));
        files.insert(layout.annotated(turn));
        if (!layout.flat) files.insert(Layout::reply(turn));
    }
    return files;
}

// The lines of turns.jsonl, two per turn.
std::vector<json::object> read_flat_replies(const fs::path& run, const Layout& layout) {
    std::vector<json::object> lines;
    std::istringstream text(read_file(run / "turns.jsonl"));
    for (std::string line; std::getline(text, line);)
        lines.push_back(json::parse(line).as_object());
    if (lines.size() != 2 * turns_of_the_run)
        throw std::runtime_error(fmt::format("turns.jsonl has {} lines", lines.size()));
    std::vector<json::object> replies;
    for (std::size_t turn = 1; turn <= turns_of_the_run; ++turn) {
        const json::object& raw = lines[2 * turn - 2];
        const json::object annotated{
            {"turn", turn}, {"stage", "annotated"}, {"annotated_png", layout.annotated(turn)}};
        expect(raw.at("turn") == turn && raw.at("stage") == "raw" &&
                   raw.at("raw_png") == json::value(layout.raw(turn)) &&
                   raw.contains("observation") && raw.contains("bboxes"),
               fmt::format("turns.jsonl, line {}", 2 * turn - 1));
        expect(lines[2 * turn - 1] == annotated, fmt::format("turns.jsonl, line {}", 2 * turn));
        replies.push_back(raw);
    }
    return replies;
}

std::vector<json::object> read_replies(const fs::path& run, const Layout& layout) {
    if (layout.flat) return read_flat_replies(run, layout);
    std::vector<json::object> replies;
    for (std::size_t turn = 1; turn <= turns_of_the_run; ++turn)
        replies.push_back(json::parse(read_file(run / Layout::reply(turn))).as_object());
    return replies;
}

std::vector<Turn> read_turns(const fs::path& run, const Layout& layout) {
    std::vector<Turn> turns;
    for (json::object& reply : read_replies(run, layout)) {
        const std::size_t turn = turns.size() + 1;
        turns.push_back({std::move(reply), read_png(run / layout.raw(turn)),
                         read_png(run / layout.annotated(turn))});
    }
    return turns;
}

const Turn& turn_of(const std::vector<Turn>& turns, std::size_t number) {
    return turns.at(number - 1);
}

// ---- the intended actions -----------------------------------------------------------------------

const json::object& only_action(const Turn& turn, std::string_view name) {
    const json::array& actions = turn.reply.at("actions").as_array();
    if (actions.size() != 1 || actions[0].at("name") != json::value(name))
        throw std::runtime_error(
            fmt::format("the actions are {} instead of one {}", json::serialize(actions), name));
    return actions[0].as_object();
}

NormPoint place(const json::object& action, const char* x, const char* y) {
    return {action.at(x).to_number<double>(), action.at(y).to_number<double>()};
}

winio::WorkArea area_of(const Image& image) {
    return winio::WorkArea({0, 0, image.width(), image.height()});
}

Stroke meant_by(const Turn& turn) {
    const json::object& drag = only_action(turn, "drag");
    const winio::WorkArea area = area_of(turn.raw);
    return {area.to_pixel(place(drag, "x1", "y1")), area.to_pixel(place(drag, "x2", "y2"))};
}

// ---- the screenshots ----------------------------------------------------------------------------

Color pixel(const Image& image, int x, int y) {
    return image.at(std::clamp(x, 0, image.width() - 1), std::clamp(y, 0, image.height() - 1));
}

int orange(Color color) { return color.red - color.blue; }

// Pixels around a position.
constexpr int reach = 10;

/// The additional orange around a position in the annotated screenshot.
double heat_at(const Turn& turn, Point at) {
    double sum = 0;
    for (int y = at.y - reach; y <= at.y + reach; ++y)
        for (int x = at.x - reach; x <= at.x + reach; ++x)
            sum += orange(pixel(turn.annotated, x, y)) - orange(pixel(turn.raw, x, y));
    return sum / ((2 * reach + 1) * (2 * reach + 1));
}

bool is_colorless(const Image& image, Point at) {
    for (int y = at.y - reach; y <= at.y + reach; ++y)
        for (int x = at.x - reach; x <= at.x + reach; ++x)
            if (std::abs(orange(pixel(image, x, y))) > 2) return false;
    return true;
}

bool same_but_for(const Image& a, const Image& b, const Rect& part, const Rect& left_out) {
    for (int y = part.y; y < part.bottom(); ++y)
        for (int x = part.x; x < part.right(); ++x)
            if (!left_out.contains({x, y}) && a.at(x, y) != b.at(x, y)) return false;
    return true;
}

// The drawn ends of a drag that is `age` turns old: they move toward its middle.
std::array<Point, 2> ends_after(const Stroke& stroke, int age) {
    constexpr double shrink = 0.85; // the profile's trail_shrink
    const double left = std::pow(shrink, age);
    const auto pulled = [&](int from, int to) {
        const double middle = (from + to) / 2.0;
        return static_cast<int>(std::lround(middle + (from - middle) * left));
    };
    return {Point{pulled(stroke.from.x, stroke.to.x), pulled(stroke.from.y, stroke.to.y)},
            Point{pulled(stroke.to.x, stroke.from.x), pulled(stroke.to.y, stroke.from.y)}};
}

// ---- the checks ---------------------------------------------------------------------------------

bool near(Point a, Point b) {
    constexpr int max = 2; // pixels
    return std::abs(a.x - b.x) <= max && std::abs(a.y - b.y) <= max;
}

std::string in_words(const Stroke& stroke) {
    return fmt::format("({},{}) to ({},{})", stroke.from.x, stroke.from.y, stroke.to.x,
                       stroke.to.y);
}

void check_what_arrived(const ReceivedInput& told, const std::vector<Stroke>& meant) {
    expect(told.strokes.size() == meant.size(),
           fmt::format("the program received {} strokes", told.strokes.size()));
    expect(told.clicks == 1, fmt::format("the button received {} clicks", told.clicks));
    for (std::size_t i = 0; i < std::min(told.strokes.size(), meant.size()); ++i) {
        const Stroke& got = told.strokes[i];
        expect(near(got.from, meant[i].from) && near(got.to, meant[i].to),
               fmt::format("stroke {} went from {} instead of from {}", i + 1, in_words(got),
                           in_words(meant[i])));
        expect(got.moves >= 5, fmt::format("stroke {} came in {} moves", i + 1, got.moves));
        expect(told.canvas.contains(meant[i].from) && told.canvas.contains(meant[i].to),
               fmt::format("stroke {} leaves the canvas: {}", i + 1, in_words(meant[i])));
    }
}

void check_strokes_are_seen(const std::vector<Turn>& turns, const std::vector<Stroke>& meant) {
    for (std::size_t i = 0; i < meant.size(); ++i) {
        // No other stroke crosses at a quarter of the way.
        const Point at{(3 * meant[i].from.x + meant[i].to.x) / 4,
                       (3 * meant[i].from.y + meant[i].to.y) / 4};
        const Color before = pixel(turn_of(turns, first_stroke_turn + i - 1).raw, at.x, at.y);
        const Color after = pixel(turn_of(turns, first_stroke_turn + i).raw, at.x, at.y);
        expect(before == Color{255, 255, 255}, fmt::format("stroke {} existed before", i + 1));
        expect(after == Color{0, 0, 0}, fmt::format("stroke {} is not in the screenshot", i + 1));
    }
}

void check_nothing_changed(const std::vector<Turn>& turns, const Rect& button, Point clicked) {
    const Rect pointer{clicked.x - 1, clicked.y - 1, 24, 32};
    expect(same_but_for(turn_of(turns, click_turn - 1).raw, turn_of(turns, click_turn).raw, button,
                        pointer),
           "the click changed the button");
}

// After the click: the button has heat, and older strokes are paler.
void check_trail(const Turn& turn, Point clicked, const std::vector<Stroke>& strokes) {
    constexpr double visible = 15; // of 255
    double younger = heat_at(turn, clicked);
    fmt::print("heat at the button: {:.0f}\n", younger);
    expect(is_colorless(turn.raw, clicked), "the raw screenshot has a color at the button");
    for (int age = 1; age <= static_cast<int>(strokes.size()); ++age) {
        const std::size_t number = strokes.size() - static_cast<std::size_t>(age) + 1;
        double hottest = 0;
        for (const Point end : ends_after(strokes[number - 1], age)) {
            const double heat = heat_at(turn, end);
            fmt::print("heat at stroke {}, {} turns old: {:.0f}\n", number, age, heat);
            expect(heat >= visible, fmt::format("stroke {} has no heat", number));
            expect(heat < younger, fmt::format("stroke {} is not paler", number));
            expect(is_colorless(turn.raw, end),
                   fmt::format("the raw screenshot has a color at stroke {}", number));
            hottest = std::max(hottest, heat);
        }
        younger = hottest;
    }
}

// The lower right corner of the canvas, without actions.
void check_rest_is_untouched(const Turn& turn, const Rect& canvas) {
    const Rect corner{canvas.right() - 40, canvas.bottom() - 40, 40, 40};
    expect(same_but_for(turn.raw, turn.annotated, corner, {}),
           "a place without actions has a mark");
}

void check(const fs::path& run, const Layout& layout, const ReceivedInput& told) {
    expect(turn_files(run) == expected_files(layout),
           fmt::format("the files of the turns are {}", fmt::join(turn_files(run), ", ")));
    const std::vector<Turn> turns = read_turns(run, layout);
    std::vector<Stroke> meant;
    for (std::size_t turn = first_stroke_turn; turn < click_turn; ++turn)
        meant.push_back(meant_by(turn_of(turns, turn)));
    const Turn& last = turn_of(turns, click_turn);
    const Point clicked = area_of(last.raw).to_pixel(place(only_action(last, "click"), "x1", "y1"));
    expect(told.button.contains(clicked), "the click does not target the button");
    expect(turns.back().reply.at("actions").as_array().empty(), "the last reply has actions");

    check_what_arrived(told, meant);
    check_strokes_are_seen(turns, meant);
    check_nothing_changed(turns, told.button, clicked);
    check_trail(last, clicked, meant);
    check_rest_is_untouched(last, told.canvas);
}

} // namespace

int main(int argc, char* argv[]) {
    const std::vector<std::string> arguments(argv, argv + argc);
    if (arguments.size() != 4 || (arguments[2] != "flat" && arguments[2] != "turn_dirs")) {
        fmt::print(stderr, "usage: eyehand-paint-check RUN-DIRECTORY flat|turn_dirs TOLD\n");
        return 2;
    }
    try {
        check(arguments[1], {.flat = arguments[2] == "flat"}, read_told(arguments[3]));
    } catch (const std::exception& error) {
        expect(false, error.what());
    }
    return problems == 0 ? 0 : 1;
}
