// Which signals the input of a user and of programs gives.
#include "user/signal_detector.hpp"

#include "catch.hpp"
#include "printing.hpp"

#include <utility>
#include <vector>

using namespace eyehand::winio;
using namespace std::chrono_literals;
using SignalDetectorKind = ReportedInput::Kind;
using Signals = std::vector<UserSignal>;
using enum UserSignal;

namespace {

constexpr std::uint32_t ctrl = 1;
constexpr std::uint32_t right_ctrl = 2;
constexpr std::uint32_t shift = 3;
constexpr std::uint32_t pause_key = 4;
constexpr std::uint32_t escape_key = 5;
constexpr std::uint32_t letter = 6;

/// With a clock that the test moves, and two displays side by side.
class Detector {
public:
    explicit Detector(Echoes echoes = Echoes::no)
        : detector(
              {.stop = {pause_key},
               .modifiers = {{.codes = {ctrl, right_ctrl}, .wanted = true},
                             {.codes = {shift}, .wanted = false}},
               .escape = {escape_key}},
              [] {
                  return std::vector<Rect>{{0, 0, 1000, 800}, {1000, 0, 500, 400}};
              },
              echoes) {}
    Signals key_down(std::uint32_t code, bool by_user = true) {
        return note({.kind = SignalDetectorKind::key_down, .by_user = by_user, .code = code});
    }
    Signals key_up(std::uint32_t code, bool by_user = true) {
        return note({.kind = SignalDetectorKind::key_up, .by_user = by_user, .code = code});
    }
    Signals move(Point to, bool by_user = true) {
        return note({.kind = SignalDetectorKind::motion, .by_user = by_user, .pointer = to});
    }
    Signals note(const ReportedInput& input) { return detector.note(input, now); }
    /// Signals that come without input.
    Signals after(std::chrono::milliseconds time) {
        now += time;
        return detector.due(now);
    }

    SignalDetector::Time now{1h};
    SignalDetector detector;
};

} // namespace

TEST_CASE("a stop key counts from any source, with its modifiers only, and once per press") {
    const bool by_user = GENERATE(true, false);
    Detector it;
    const auto stops = [&](std::uint32_t code) {
        const Signals found = it.key_down(code, by_user);
        return std::ranges::count(found, stop_key);
    };
    CHECK(stops(pause_key) == 0);
    it.key_up(pause_key);
    it.key_down(right_ctrl, by_user);
    CHECK(stops(pause_key) == 1);
    CHECK(stops(pause_key) == 0); // a system may repeat a key that is held
    it.key_up(pause_key);
    CHECK(stops(pause_key) == 1);
    it.key_up(pause_key);
    it.key_down(shift, by_user);
    CHECK(stops(pause_key) == 0);
}

TEST_CASE("a modifier that was down from the start belongs to the stop key") {
    Detector it;
    it.detector.is_down(ctrl);
    CHECK(it.key_down(pause_key, false) == Signals{stop_key});
}

TEST_CASE("a key whose release was not reported is forgotten after a second") {
    Detector it;
    const auto none_is_down = [](std::uint32_t) { return false; };
    it.key_down(ctrl);
    it.key_down(escape_key);
    it.now += 999ms;
    it.detector.forget_released(none_is_down, it.now);
    CHECK(it.detector.next()); // Escape may be down
    it.now += 1ms;
    it.detector.forget_released([](std::uint32_t code) { return code == ctrl; }, it.now);
    CHECK_FALSE(it.detector.next());
    CHECK(it.key_down(pause_key) == Signals{stop_key, input});
    it.key_up(pause_key);
    it.detector.forget_released(none_is_down, it.now);
    it.now += 250ms;
    CHECK(it.key_down(pause_key) == Signals{input});
}

TEST_CASE("only the user's keys, buttons and wheel are the user's input") {
    for (const SignalDetectorKind kind :
         {SignalDetectorKind::key_down, SignalDetectorKind::button_down,
          SignalDetectorKind::wheel}) {
        CAPTURE(kind);
        Detector it;
        CHECK(it.note({.kind = kind, .by_user = false, .code = letter}).empty());
        it.key_up(letter, false);
        CHECK(it.note({.kind = kind, .by_user = true, .code = letter}) == Signals{input});
    }
    Detector it;
    CHECK(it.key_up(letter).empty()); // of the key that started the program
}

TEST_CASE("input in quick succession is one signal") {
    Detector it;
    CHECK(it.key_down(letter) == Signals{input});
    it.now += 249ms;
    CHECK(it.key_down(shift).empty());
    it.now += 1ms;
    CHECK(it.key_down(ctrl) == Signals{input});
}

TEST_CASE("the user's motion counts from 17 pixels") {
    Detector it;
    CHECK(it.move({500, 500}).empty());
    CHECK(it.move({516, 484}).empty());
    CHECK(it.move({517, 484}) == Signals{input});
    it.now += 500ms;
    CHECK(it.move({501, 484}).empty());
    CHECK(it.move({500, 484}) == Signals{input});
}

TEST_CASE("a single motion event counts from where the pointer was") {
    Detector it;
    it.detector.is_at({500, 500});
    CHECK(it.move({500, 517}) == Signals{input});
}

TEST_CASE("motions with a rest between them do not add up") {
    Detector it;
    for (int x = 500; x < 600; x += 10) {
        CHECK(it.move({x, 500}).empty());
        it.now += 1s;
    }
}

TEST_CASE("a jump by a program is not the user's motion") {
    Detector it;
    it.move({500, 500});
    CHECK(it.move({900, 700}, false).empty());
    CHECK(it.move({903, 700}).empty());
    CHECK(it.move({920, 700}) == Signals{input});
}

TEST_CASE("the user's motion counts while a program moves the pointer") {
    Detector it;
    it.move({100, 100}, false);
    for (int step = 1; step <= 8; ++step) {
        CHECK(it.move({100 * step + 2, 100}).empty());
        CHECK(it.move({100 * (step + 1), 100}, false).empty());
        it.now += 10ms;
    }
    CHECK(it.move({902, 100}) == Signals{input});
}

TEST_CASE("the system's repetition of a program's move is not the user's") {
    Detector it(Echoes::yes);
    it.detector.is_at({300, 300});
    for (const Point place : {Point{500, 100}, Point{900, 700}, Point{10, 10}})
        it.move(place, false);
    for (const auto delay : {0s, 29s}) {
        it.now += delay;
        for (const Point place :
             {Point{300, 300}, Point{900, 700}, Point{500, 101}, Point{10, 10}}) {
            CAPTURE(place);
            CHECK(it.move(place).empty());
        }
    }
    it.move({900, 702});
    CHECK(it.move({900, 719}) == Signals{input});
}

TEST_CASE("a system that repeats moves may move the pointer itself after a program did") {
    Detector it(Echoes::yes);
    it.detector.is_at({0, 0});
    it.move({300, 300}, false);
    it.move({180, 100}, false);
    for (const Point place : {Point{999, 799}, Point{999, 799}, Point{300, 300}}) {
        CAPTURE(place);
        CHECK(it.move(place).empty());
        CHECK(it.after(1s).empty());
    }
    it.move({400, 400}, false);
    CHECK(it.move({999, 799}).empty());
}

TEST_CASE("a system that does not repeat moves reports only the user's") {
    Detector it;
    it.move({900, 700}, false);
    it.move({10, 10}, false);
    CHECK(it.move({900, 700}) == Signals{input});
}

TEST_CASE("the user's motion counts at a place where a program has moved the pointer") {
    Detector it(Echoes::yes);
    it.move({0, 0}, false);
    it.move({505, 505}, false);
    CHECK(it.move({508, 505}).empty());
    CHECK(it.move({510, 505}).empty());
    CHECK(it.move({0, 0}) == Signals{input});
    CHECK(it.after(500ms) == Signals{corner});
}

TEST_CASE("the place of a program's move long ago is like any other") {
    Detector it(Echoes::yes);
    it.move({900, 700}, false);
    it.move({10, 10}, false);
    it.now += 31s;
    it.move({950, 700});
    CHECK(it.move({900, 700}) == Signals{input});
}

TEST_CASE("Escape counts after a second, once per press") {
    Detector it;
    CHECK(it.key_down(escape_key) == Signals{input});
    CHECK(it.detector.next() == it.now + 1s);
    CHECK(it.after(999ms).empty());
    it.key_down(escape_key); // repeated
    CHECK(it.after(1ms) == Signals{escape});
    CHECK_FALSE(it.detector.next());
    CHECK(it.after(1h).empty());
    it.key_up(escape_key);
    it.key_down(escape_key);
    CHECK(it.after(1s) == Signals{escape});
}

TEST_CASE("Escape that is released, or held by a program, does not count") {
    Detector it;
    it.key_down(escape_key);
    it.now += 999ms;
    it.key_up(escape_key);
    CHECK(it.after(1h).empty());
    it.key_down(escape_key, false);
    CHECK(it.after(1h).empty());
}

TEST_CASE("each corner of each display counts after 500 ms") {
    for (const Point corner : {Point{0, 0}, Point{999, 1}, Point{1, 799}, Point{998, 798},
                               Point{1000, 0}, Point{1499, 399}, Point{1000, 399}}) {
        CAPTURE(corner);
        Detector it;
        it.move({500, 300});
        it.move(corner);
        CHECK(it.detector.next() == it.now + 500ms);
        CHECK(it.after(499ms).empty());
        CHECK(it.after(1ms) == Signals{UserSignal::corner});
        it.move(corner);
        CHECK(it.after(1h).empty()); // only once until the pointer leaves
    }
}

TEST_CASE("only corners count") {
    for (const Point place : {Point{2, 0}, Point{500, 0}, Point{1400, 500}, Point{-1, 0}}) {
        CAPTURE(place);
        Detector it;
        it.move(place);
        CHECK(it.after(1h).empty());
    }
}

TEST_CASE("motion inside a corner where a program has moved the pointer does not count") {
    Detector it;
    it.move({0, 0}, false);
    it.move({0, 1});
    CHECK(it.after(1h).empty());
    it.move({500, 300});
    it.move({0, 1});
    CHECK(it.after(500ms) == Signals{UserSignal::corner});
}

TEST_CASE("a corner that the pointer leaves, or where a program has moved it, does not count") {
    Detector it(Echoes::yes);
    it.move({0, 0});
    it.now += 499ms;
    it.move({5, 0});
    CHECK(it.after(1h).empty());
    it.move({0, 0}, false);
    it.move({0, 0}); // reported again
    CHECK(it.after(1h).empty());
    it.move({1, 1});
    it.move({500, 500}, false);
    CHECK(it.after(1h).empty());
}
