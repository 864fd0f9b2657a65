// Whole runs in virtual time, with random schedules of changes, replies, cancellations and stops.
#include "eyehand/winio/png.hpp"

#include "catch.hpp"
#include "virtual_run.hpp"

#include <array>
#include <random>
#include <utility>

using namespace eyehand;
using namespace agent;
using std::chrono::milliseconds;

namespace {

constexpr int side = 251; // of the screen
/// What changes: the surroundings of the click, a place that shows which window has the keyboard
/// focus, and two places without meaning.
constexpr std::array<winio::Rect, 4> regions{
    {{80, 80, 48, 48}, {8, 8, 48, 16}, {180, 180, 48, 32}, {16, 180, 32, 48}}};
constexpr std::size_t target = 0;
constexpr std::size_t focus = 1;
constexpr const char* click = R"({"label":"OK","box":[414,414]})";

/// The number of changes of each region.
using Versions = std::array<int, regions.size()>;

winio::Color color_of(int version) {
    return {static_cast<std::uint8_t>(40 + 97 * version % 200), static_cast<std::uint8_t>(version),
            static_cast<std::uint8_t>(255 - version)};
}

/// The versions that the latest screenshot of a request shows.
Versions shown_in(const vlm::ChatRequest& request) {
    const vlm::Image* latest = nullptr;
    for (const vlm::Message& message : request.messages)
        for (const vlm::Part& part : message.parts)
            if (const auto* image = std::get_if<vlm::Image>(&part)) latest = image;
    Versions versions{};
    if (latest == nullptr || !latest->bytes) throw std::logic_error("a request without an image");
    const winio::Image image = winio::decode_png(*latest->bytes);
    for (std::size_t i = 0; i < regions.size(); ++i) {
        const winio::Rect& region = regions.at(i);
        const winio::Point at{region.x + region.width / 2, region.y + region.height / 2};
        versions.at(i) = image.at(at.x * image.width() / side, at.y * image.height() / side).green;
    }
    return versions;
}

/// One run with a random schedule.
class Schedule : private test::VirtualRun {
public:
    explicit Schedule(unsigned seed, Watch watch)
        : VirtualRun([this](const vlm::ChatRequest& request) { return think(request); }),
          random_(seed) {
        options.watch = watch;
        profile.max_turns = 12;
        profile.step_delay = milliseconds(chance(3) ? 1500 : 0);
        for (std::size_t i = 0; i < regions.size(); ++i) paint(i);
        set_focus(1);
        schedule_changes();
        if (chance(8))
            timeline.at(milliseconds(any(1, 60'000)), [this] { (void)control.stop("enough"); });
        desktop.on_input = [this](const winio::InputEvent& event) { on_input(event); };
        on_event = [this](const Event& event) { note(event); };
    }

    void run() { (void)VirtualRun::run(); }

    std::vector<std::string> violations;
    int presses = 0;
    int refusals = 0;
    int superseded = 0;

private:
    [[nodiscard]] int any(int from, int to) {
        return std::uniform_int_distribution<>(from, to)(random_);
    }
    [[nodiscard]] bool chance(int in) { return any(1, in) == 1; }

    void paint(std::size_t region) {
        ++versions_.at(region);
        desktop.screen().fill(regions.at(region), color_of(versions_.at(region)));
        changes_.push_back({timeline.elapsed(), versions_});
    }
    void set_focus(std::uint64_t id) {
        const auto window = [&](std::uint64_t number) {
            winio::WindowInfo it;
            it.id = winio::WindowId{number};
            it.bounds = {0, 0, side, side};
            it.foreground = number == id;
            return it;
        };
        desktop.set_windows({window(1), window(2)});
    }
    /// A region changes at most three times in 30 s: what changes more often counts as changing by
    /// itself.
    void schedule_changes() {
        const auto change = [this](int at, std::size_t i) {
            timeline.at(milliseconds(at), [this, i] {
                paint(i);
                if (i == focus) set_focus(versions_[focus] % 2 == 0 ? 2 : 1);
            });
        };
        const bool bursts = chance(3); // more changes than requests may be cancelled
        const int pause = chance(2) ? 12'000 : 60'000;
        const int begin = any(0, pause);
        for (std::size_t i = 0; i < regions.size(); ++i) {
            const int offset = bursts ? begin + static_cast<int>(i) * 900 : any(0, pause);
            const int gap = bursts ? 10'100 : any(10'100, 10'100 + pause);
            for (int at = offset; at < 120'000; at += gap) change(at, i);
        }
        // Smaller than what counts: a blinking caret.
        for (int at = any(0, 3000); at < 120'000; at += any(400, 3000))
            timeline.at(milliseconds(at), [this] {
                caret_ = !caret_;
                const std::uint8_t value = caret_ ? 255 : 0;
                desktop.screen().fill({140, 20, 2, 16}, {value, value, value});
            });
    }

    test::Thought think(const vlm::ChatRequest& request) {
        if (timeline.requests().size() > 200) throw std::logic_error("the run does not end");
        ++sent_since_reply_;
        if (sent_since_reply_ > 3) violations.emplace_back("a request was sent too often");
        test::Thought thought;
        thought.time = milliseconds(any(50, chance(3) ? 10'000 : 2000));
        if (chance(2)) thought.first_delta = milliseconds(any(10, int(thought.time.count())));
        thought.time_to_cancel = milliseconds(chance(2) ? 0 : any(0, 800));
        shown_ = shown_in(request);
        if (acted_) {
            thought.reply.tool_calls = {{"call", "observe_screen", "{}", {}}};
            return thought;
        }
        switch (any(1, 8)) {
        case 1:
            thought.reply.text = "Done.";
            break;
        case 2:
            thought.reply.tool_calls = {{"call", "observe_screen", "{}", {}}};
            break;
        case 3:
        case 4:
            thought.reply.tool_calls = {{"call", "type_text", R"({"text":"a"})", {}}};
            break;
        default:
            thought.reply.tool_calls = {{"call", "click_element", click, {}}};
            break;
        }
        return thought;
    }

    void on_input(const winio::InputEvent& event) {
        const auto* button = std::get_if<winio::ButtonChange>(&event);
        const bool typed = std::holds_alternative<winio::TypedScalar>(event);
        if (!typed && (button == nullptr || button->press != winio::Press::down)) return;
        ++presses;
        if (timeline.elapsed() > stopped_) violations.emplace_back("a press after the stop");
        const std::size_t region = typed ? focus : target;
        if (shown_.at(region) != versions_.at(region) && refused_.at(region) < 2)
            violations.push_back("a press on another screen than the model saw, at " +
                                 std::to_string(timeline.elapsed().count()) + " ms");
    }

    void note(const Event& event) {
        if (const auto* call = std::get_if<Invoked>(&event.payload)) {
            acted_ = acted_ || call->action.acts;
            refusals += call->stale ? 1 : 0;
            if (call->action.acts) refused_ = {};
            if (call->stale) ++refused_.at(call->tool == "type_text" ? focus : target);
        } else if (std::holds_alternative<Observed>(event.payload)) {
            acted_ = false;
        } else if (const auto* fact = std::get_if<Superseded>(&event.payload)) {
            ++superseded;
            const bool sent = fact->after.count() > 0;
            if (options.watch != Watch::resend && sent)
                violations.emplace_back("a request was cancelled although only checks are wanted");
            if (sent && shown_ == versions_ && !changed_since(timeline.requests().back().sent))
                violations.emplace_back("a request was cancelled without a change");
        } else if (const auto* reply = std::get_if<Replied>(&event.payload)) {
            check_reply();
            const test::Request& request = timeline.requests().back();
            reply_times_.push_back(request.ended - request.sent);
            sent_since_reply_ = 0;
            // A reply without a call on a screen that has changed is asked for once more, in the same
            // turn.
            const bool again = reply->screen_changed && reply->reply.tool_calls.empty();
            if (again && !std::exchange(asked_again_, true)) return;
            asked_again_ = false;
            superseded_before_ = superseded;
        } else if (std::holds_alternative<Stopped>(event.payload)) {
            stopped_ = timeline.elapsed();
        }
    }

    [[nodiscard]] bool changed_since(milliseconds time) const {
        return std::ranges::any_of(changes_, [&](const Change& it) { return it.at >= time; });
    }

    /// A change that was visible early enough must have cancelled the request.
    void check_reply() {
        const test::Request& request = timeline.requests().back();
        const bool allowed = superseded - superseded_before_ < 2;
        if (acted_ || options.watch != Watch::resend || !allowed) return;
        if (request.cancel_requested) return; // the reply was complete before that took effect
        for (std::size_t i = 0; i < changes_.size(); ++i) {
            // Two intervals and the time of stability.
            const auto noticed = std::max(changes_[i].at, request.sent) + milliseconds(500);
            if (i + 1 < changes_.size() && changes_[i + 1].at <= noticed) continue;
            if (noticed >= request.answered || changes_[i].versions == shown_) continue;
            const bool early = reply_times_.size() < 3 ||
                               noticed - request.sent < *std::ranges::min_element(reply_times_) / 2;
            if (early)
                violations.push_back("a change at " + std::to_string(changes_[i].at.count()) +
                                     " ms was lost");
        }
    }
    struct Change {
        milliseconds at;
        Versions versions;
    };

    std::mt19937 random_;
    Versions versions_{};
    std::vector<Change> changes_;
    bool caret_ = false;
    bool acted_ = false; ///< since the latest screenshot
    Versions shown_{};   ///< what the latest request shows
    int sent_since_reply_ = 0;
    int superseded_before_ = 0; ///< this turn
    bool asked_again_ = false;  ///< in this turn
    Versions refused_{};        ///< calls since the latest action, by what they depend on
    std::vector<milliseconds> reply_times_;
    milliseconds stopped_ = milliseconds::max();
};

/// Runs the schedules of these seeds.
void check_schedules(unsigned first, unsigned count) {
    int presses = 0;
    int refusals = 0;
    int superseded = 0;
    for (unsigned seed = first; seed < first + count; ++seed) {
        INFO("seed " << seed);
        Schedule schedule(seed, seed % 4 == 0 ? Watch::check : Watch::resend);
        schedule.run();
        for (const std::string& violation : schedule.violations) FAIL_CHECK(violation);
        presses += schedule.presses;
        refusals += schedule.refusals;
        superseded += schedule.superseded;
    }
    // The schedules contain what they test.
    CHECK(presses > static_cast<int>(count));
    CHECK(refusals > static_cast<int>(count) / 6);
    CHECK(superseded > static_cast<int>(count) / 4);
}

} // namespace

TEST_CASE(
    "random schedules: no press on an outdated screen, no lost change, no request too often") {
    check_schedules(1, 60);
}

// For exploration: other schedules in each call. A failure names its seed.
TEST_CASE("random schedules: new seeds", "[.explore]") {
    check_schedules(std::random_device{}(), 1000);
}
