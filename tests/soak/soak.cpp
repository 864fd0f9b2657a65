// Checks that a run with random faults can go on for days: memory, handles and threads stay flat.
//   eyehand-soak [--turns N] [--seed S] [--faults PERCENT]
// One run with the real loop, guard, tools, journal and files, a server on a real socket and a desktop
// in memory. A fault that ends the run by design is followed by a resumption, as a user would do.
// The server runs in this process, so its connections and its thread are measured, too.
#include "eventually.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/session/run_session.hpp"
#include "eyehand/session/verify.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "faults.hpp"
#include "measure.hpp"
#include "temp_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace eyehand;

namespace {

using soak::Fault;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

struct Options {
    int turns = 5000;
    unsigned seed = 1;
    int percent = 5;
};

struct Sample {
    int turn = 0;
    double seconds = 0;
    std::size_t resident = 0;
    std::size_t allocated = 0;
    int handles = 0;
    int threads = 0;
    int faults = 0;
    int parts = 0;
};

constexpr double mib = 1U << 20U;
// A conversation is as long as its limits allow, so that its size differs from turn to turn: the means of
// the two halves are compared. The names of the screenshots stay, because a resumed run may need them.
constexpr double max_allocated_growth = 0.75 * mib;
constexpr double max_allocated_growth_per_turn = 200;
// While it is resumed, a run has all of its facts in memory, and the allocator keeps a part of that.
constexpr double max_resident_growth = 6 * mib;
constexpr double max_resident_growth_per_turn = 3000;

constexpr winio::Size screen{320, 180};
constexpr const char* rules = R"({"rules": [
    {"name": "soak", "when": {"effect": ["move", "click", "scroll", "key", "text", "clipboard_write", "window"]},
     "then": "allow"}]})";

class Soak final : public agent::Observer {
public:
    explicit Soak(const Options& options)
        : options_(options), interval_(std::max(options.turns / 20, 10)),
          plan_(options.turns, interval_, options.percent, options.seed), random_(options.seed + 1),
          model_(options.seed + 2), server_({.respond =
                                                 [this](const vlm::testing::ReceivedRequest&) {
                                                     const std::lock_guard lock(mutex_);
                                                     return answer();
                                                 },
                                             .keep_requests = false}) {
        set_windows();
        desktop_.on_input = [this](const winio::InputEvent&) { on_input(); };
        desktop_.on_capture = [this] { on_capture(); };
        desktop_.on_clipboard = [this](winio::testing::ClipboardUse) {
            if (local_ == Fault::clipboard_refused) {
                occurred(local_);
                throw winio::Error(winio::errc::clipboard_failed, "another program holds it");
            }
        };
    }

    void run() {
        fmt::print("seed {}: {} turns, {} of them with a fault\n", options_.seed, options_.turns,
                   plan_.count());
        fmt::print("{:>6} {:>7} {:>11} {:>11} {:>8} {:>8} {:>7} {:>6}\n", "turn", "time",
                   "resident", "allocated", "handles", "threads", "faults", "parts");
        agent::RunDirectory directory = agent::RunDirectory::create(folder_.path());
        agent::RunFinished finished = part(directory, true);
        while (finished.outcome != agent::Outcome::steps_used_up) {
            const bool ended_by_fault = finished.outcome == agent::Outcome::endpoint_failed ||
                                        finished.outcome == agent::Outcome::desktop_failed ||
                                        finished.outcome == agent::Outcome::cancelled;
            require(ended_by_fault,
                    fmt::format("turn {}: the run ended with {}: {}", finished.turns,
                                to_string(finished.outcome), finished.reason));
            require(parts_ <= 10 * (plan_.count() + 1), "the run does not go on");
            ++ends_[std::string(to_string(finished.outcome))];
            finished = part(directory, false);
        }
        print_faults();
        // Calls that are refused because the screen has changed use up no turn, at most 20 times.
        require(finished.turns >= options_.turns && finished.turns <= options_.turns + 20,
                fmt::format("{} turns", finished.turns));
        check_samples();
        require(problems_.empty(), problems_);
        verify(directory);
    }

    void on_event(const agent::Event& event) override {
        agent::visit(
            event, [this, &event](const agent::Asked&) { on_asked(event.turn); },
            [this](const agent::Invoked&) { on_invoked(); },
            [this](const agent::Superseded& fact) {
                if (fact.after.count() > 0) occurred(Fault::request_canceled);
            },
            [](const auto&) {});
    }

private:
    static void require(bool so, const std::string& what) {
        if (!so) throw std::runtime_error(what);
    }
    int any(int from, int to) {
        return from + static_cast<int>(random_() % static_cast<unsigned>(to - from + 1));
    }

    agent::RunFinished part(agent::RunDirectory& directory, bool first) {
        ++parts_;
        session::SessionOptions options;
        options.profile = agent::load_profile("observer");
        options.profile.max_turns = options_.turns;
        options.profile.context_bytes = 8000; // small, so that the limit is reached often
        options.client.endpoint = server_.url();
        options.client.first_byte_timeout = std::chrono::seconds(2);
        options.client.retries.first_delay = milliseconds(1);
        options.agent.settle.minimum = options.agent.settle.quiet = milliseconds(0);
        options.agent.reaction = winio::no_reaction_wait;
        options.agent.watch = agent::Watch::resend;
        options.agent.with = {"drag",       "hotkey",         "list_windows", "focus_window",
                              "paste_text", "read_clipboard", "wait"};
        options.agent.guard.add(agent::parse_guard_rules(rules, "the rules of the soak"),
                                agent::RuleOrigin::user);
        options.probe = false;
        options.report = false; // the report of each part would take most of the time
        options.on_remark = [this](const std::string& remark) { fail(remark); };
        control_ = options.control;
        session::RunSession session(desktop_, std::move(options));
        agent::Observer* const observer = this;
        return (first ? session.run("Fill in all the fields.", directory, {&observer, 1})
                      : session.resume(directory, {&observer, 1}))
            .finished;
    }

    // ---- on the run's thread --------------------------------------------------------------------

    void on_asked(int turn) {
        if (desktop_.holds_anything()) fail(fmt::format("turn {}: input is held", turn));
        desktop_.clear_records();
        const bool cancels = std::exchange(cancels_next_, false);
        Fault fault = Fault::none;
        const bool is_new = turn > turn_;
        if (is_new) {
            turn_ = turn;
            fault = plan_.of(turn);
            if (fault != Fault::none) ++faults_;
            if (turn % interval_ == 0) measure();
        }
        begin(fault, is_new, cancels);
        if (!is_new) return;
        local_ = fault;
        switch (fault) {
        case Fault::windows_changed:
            set_windows();
            occurred(fault);
            break;
        case Fault::request_canceled:
            cancels_next_ = true;
            [[fallthrough]];
        case Fault::stopped:
            control_.stop("the soak stops it");
            if (fault == Fault::stopped) occurred(fault);
            break;
        case Fault::input_refused:
            keeps_refusing_ = any(0, 1) == 0;
            accepted_left_ = any(1, 5);
            desktop_.accept_at_most(static_cast<std::size_t>(accepted_left_));
            occurred(fault);
            break;
        default:
            break;
        }
    }

    /// What the server does with the requests of this turn.
    void begin(Fault fault, bool is_new, bool cancels) {
        const std::lock_guard lock(mutex_);
        if (is_new) {
            remote_ = fault;
            attempt_ = 0;
        }
        is_silent_ = is_silent_ || cancels;
        changes_screen_ = false;
    }

    void on_invoked() {
        desktop_.accept_everything();
        accepted_left_ = 0;
        // From here on, the next screenshot fails, and not only a look of the watch.
        if (local_ == Fault::captures_refused) {
            desktop_.fail_next_captures(any(0, 1) == 0 ? winio::errc::capture_unavailable
                                                       : winio::errc::capture_failed,
                                        any(1, 3));
            occurred(local_);
        }
        local_ = Fault::none;
    }

    void on_input() {
        paint();
        // The rest of this batch is refused; then the desktop accepts the releases at once, or only
        // after the action.
        if (accepted_left_ > 0 && --accepted_left_ == 0 && !keeps_refusing_)
            desktop_.accept_everything();
    }

    /// While the server keeps the request that the watch must cancel, the screen changes.
    void on_capture() {
        const std::lock_guard lock(mutex_);
        if (std::exchange(changes_screen_, false))
            desktop_.screen().fill({0, 0, screen.width, screen.height}, color());
    }

    void paint() {
        desktop_.screen().fill({any(0, screen.width - 40), any(0, screen.height - 20), 40, 20},
                               color());
    }
    winio::Color color() {
        const auto value = [this] { return static_cast<std::uint8_t>(any(0, 255)); };
        return {value(), value(), value(), 255};
    }

    /// Three windows in random order and at random places.
    void set_windows() {
        std::vector<winio::WindowInfo> windows;
        for (int i = 1; i <= 3; ++i) {
            winio::WindowInfo window;
            window.id = winio::WindowId{static_cast<std::uint64_t>(i)};
            window.title = fmt::format("window {}", i);
            window.process = "editor.exe";
            window.bounds = {any(0, 100), any(0, 60), 200, 100};
            windows.push_back(window);
        }
        std::swap(windows[0], windows[static_cast<std::size_t>(any(0, 2))]);
        windows[0].foreground = true;
        desktop_.set_windows(std::move(windows));
    }

    void measure() {
        if (!samples_.empty()) wait_until_flat();
        const Sample sample{turn_,
                            std::chrono::duration<double>(Clock::now() - start_).count(),
                            soak::resident_bytes(),
                            soak::allocated_bytes(),
                            soak::handles(),
                            soak::threads(),
                            faults_,
                            parts_};
        samples_.push_back(sample);
        fmt::print("{:>6} {:>5.0f} s {:>7.2f} MiB {:>7.2f} MiB {:>8} {:>8} {:>7} {:>6}\n",
                   sample.turn, sample.seconds, static_cast<double>(sample.resident) / mib,
                   static_cast<double>(sample.allocated) / mib, sample.handles, sample.threads,
                   sample.faults, sample.parts);
        std::fflush(stdout);
    }

    /// The server closes the connections of earlier turns on its own thread. The limit only catches
    /// leaks.
    void wait_until_flat() {
        const Sample& first = samples_.front();
        const auto is_as_first = [&] {
            return soak::handles() == first.handles && soak::threads() == first.threads;
        };
        if (!test::eventually(is_as_first, is_flat_ ? test::patience : milliseconds(0)))
            is_flat_ = false;
    }

    /// Counts a fault of the program, once in each turn.
    void occurred(Fault fault) {
        if (std::exchange(counted_turn_, turn_) != turn_) ++caused_[fault];
    }

    void fail(const std::string& problem) {
        if (problems_.size() < 2000) problems_ += problem + '\n';
    }

    // ---- on the server's thread -----------------------------------------------------------------

    vlm::testing::Answer answer() {
        if (is_silent_) {
            is_silent_ = false;
            changes_screen_ = true;
            return {.never = true};
        }
        ++attempt_;
        vlm::testing::Answer answer = soak::with_fault(remote_, attempt_, model_.reply(remote_));
        if (attempt_ == 1 && remote_ != Fault::none && !is_local(remote_)) ++sent_[remote_];
        return answer;
    }

    // ---- at the end -----------------------------------------------------------------------------

    void print_faults() {
        const std::lock_guard lock(mutex_);
        caused_.insert(sent_.begin(), sent_.end());
        fmt::print("faults:");
        for (const auto& [fault, count] : caused_) fmt::print(" {} {}", name_of(fault), count);
        fmt::print("\nresumed after:");
        for (const auto& [outcome, count] : ends_) fmt::print(" {} {}", outcome, count);
        fmt::print("\n");
        for (int turn = 1; turn <= options_.turns; ++turn)
            if (const Fault fault = plan_.of(turn);
                fault != Fault::none && !caused_.contains(fault))
                fail(fmt::format("turn {}: \"{}\" did not happen", turn, name_of(fault)));
    }

    void check_samples() {
        require(static_cast<int>(samples_.size()) == options_.turns / interval_,
                fmt::format("{} measurements", samples_.size()));
        const Sample& first = samples_.front();
        const std::size_t half = samples_.size() / 2;
        double before = 0;
        double after = 0;
        double resident = 0;
        for (std::size_t i = 0; i < samples_.size(); ++i) {
            const Sample& sample = samples_[i];
            if (sample.handles != first.handles || sample.threads != first.threads)
                fail(fmt::format("turn {}: {} handles and {} threads, at turn {}: {} and {}",
                                 sample.turn, sample.handles, sample.threads, first.turn,
                                 first.handles, first.threads));
            const auto allocated = static_cast<double>(sample.allocated);
            if (i < half)
                before += allocated / static_cast<double>(half);
            else
                after += allocated / static_cast<double>(samples_.size() - half);
            resident = std::max(resident, static_cast<double>(sample.resident));
        }
        resident -= static_cast<double>(first.resident);
        const int turns = samples_.back().turn - first.turn;
        fmt::print(
            "allocated: {:.2f} MiB in the first half, {:.2f} MiB in the second half; resident: "
            "at most {:.2f} MiB more than at turn {}\n",
            before / mib, after / mib, resident / mib, first.turn);
        if (after - before > max_allocated_growth + max_allocated_growth_per_turn * turns / 2)
            fail("the allocated memory grows");
        if (!soak::keeps_freed_memory &&
            resident > max_resident_growth + max_resident_growth_per_turn * turns)
            fail("the resident memory grows");
    }

    void verify(const agent::RunDirectory& directory) const {
        const session::Verification result = session::verify_run(directory);
        fmt::print("{}\n", session::to_text(result));
        require(result.problems.empty() && result.unverified.empty(), "the run is not verified");
    }

    const Options options_;
    const int interval_; ///< turns between two measurements
    const soak::Plan plan_;
    const Clock::time_point start_ = Clock::now();
    test::TempFolder folder_;
    winio::testing::MemoryDesktop desktop_{screen};
    agent::RunControl control_;
    std::mt19937 random_;
    int turn_ = 0;
    int counted_turn_ = 0;
    int faults_ = 0;
    int parts_ = 0;
    Fault local_ = Fault::none; ///< of the present turn, until its action
    int accepted_left_ = 0;     ///< events until input is refused; 0: no limit
    bool keeps_refusing_ = false;
    bool cancels_next_ = false; ///< the next request is the first one of its part
    bool is_flat_ = true;
    std::vector<Sample> samples_;
    std::map<Fault, int> caused_; ///< faults of the program
    std::map<std::string, int> ends_;
    std::string problems_;

    std::mutex mutex_; ///< for the members below, which the server's thread uses, too
    Fault remote_ = Fault::none;
    int attempt_ = 0;
    bool is_silent_ = false;
    bool changes_screen_ = false;
    soak::Model model_;
    std::map<Fault, int> sent_; ///< faults of the server and the model

    vlm::testing::ChatServer server_; ///< last: its thread uses the other members
};

std::optional<Options> options_from(int argc, char** argv) {
    Options options;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string_view name = argv[i];
        const std::string_view text = argv[i + 1];
        const auto read = [&](auto& value) {
            const auto [end, error] =
                std::from_chars(text.data(), text.data() + text.size(), value);
            return error == std::errc() && end == text.data() + text.size();
        };
        const bool understood = name == "--turns"    ? read(options.turns)
                                : name == "--seed"   ? read(options.seed)
                                : name == "--faults" ? read(options.percent)
                                                     : false;
        if (!understood) return std::nullopt;
    }
    const bool possible = options.turns >= 20 && options.turns <= 1'000'000 &&
                          options.percent >= 0 && options.percent <= 100;
    return argc % 2 == 1 && possible ? std::optional(options) : std::nullopt;
}

} // namespace

int main(int argc, char** argv) {
    const std::optional<Options> options = options_from(argc, argv);
    if (!options) {
        fmt::print(stderr,
                   "usage: eyehand-soak [--turns 20...1000000] [--seed S] [--faults 0...100]\n");
        return 2;
    }
    try {
        Soak(*options).run();
    } catch (const std::exception& problem) {
        fmt::print(stderr, "seed {}: {}\n", options->seed, problem.what());
        return 1;
    }
    return 0;
}
