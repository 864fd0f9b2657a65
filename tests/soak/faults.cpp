#include "faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace soak {

using eyehand::vlm::testing::Answer;
using eyehand::vlm::testing::completion;

namespace {

constexpr std::array<std::string_view, fault_count> names{"none",
                                                          "connection_closed",
                                                          "connection_reset",
                                                          "status_500",
                                                          "status_429",
                                                          "no_answer",
                                                          "malformed_json",
                                                          "retries_exhausted",
                                                          "bad_arguments",
                                                          "malformed_arguments",
                                                          "unknown_tool",
                                                          "captures_refused",
                                                          "input_refused",
                                                          "clipboard_refused",
                                                          "windows_changed",
                                                          "stopped",
                                                          "request_canceled"};

/// As many as the client sends in one part of a run.
constexpr int attempts = 3;

int between(std::mt19937& random, int from, int to) {
    // Not a distribution of the standard library, whose results depend on the implementation.
    return from + static_cast<int>(random() % static_cast<unsigned>(to - from + 1));
}

} // namespace

std::string_view name_of(Fault fault) noexcept { return names.at(static_cast<std::size_t>(fault)); }

bool is_local(Fault fault) noexcept { return fault >= Fault::captures_refused; }

Plan::Plan(int turns, int interval, int percent, unsigned seed)
    : faults_(static_cast<std::size_t>(turns) + 1, Fault::none) {
    std::mt19937 random(seed);
    std::vector<Fault> next; // each kind once, in random order
    for (int turn = 1; turn <= turns; ++turn) {
        const bool is_measured_soon = (turn + 2) % interval <= 2;
        if (between(random, 1, 100) > percent || is_measured_soon) continue;
        if (next.empty())
            for (std::size_t kind = 1; kind < fault_count; ++kind) {
                next.push_back(static_cast<Fault>(kind));
                std::swap(
                    next.back(),
                    next[static_cast<std::size_t>(between(random, 0, static_cast<int>(kind) - 1))]);
            }
        faults_[static_cast<std::size_t>(turn)] = next.back();
        next.pop_back();
    }
}

Fault Plan::of(int turn) const {
    return turn < static_cast<int>(faults_.size()) ? faults_[static_cast<std::size_t>(turn)]
                                                   : Fault::none;
}

int Plan::count() const {
    return static_cast<int>(
        std::ranges::count_if(faults_, [](Fault fault) { return fault != Fault::none; }));
}

Answer Model::reply(Fault fault) {
    ++replies_;
    std::string body;
    const std::string words =
        fmt::format("<think>{} thoughts.</think>Step {}.", any(1, 1000), replies_);
    switch (fault) {
    case Fault::bad_arguments:
        body = completion(words, "click_element", R"({"label":["no"],"box":"here"})");
        break;
    case Fault::malformed_arguments:
        body = completion(words, "type_text", R"({"text": "never ends)");
        break;
    case Fault::unknown_tool:
        body = completion(words, "open_the_door", R"({"door":1})");
        break;
    case Fault::captures_refused:
        body = completion(words, "observe_screen");
        break;
    case Fault::input_refused:
        body = completion(words, "hotkey", R"({"keys":"ctrl+shift+s"})");
        break;
    case Fault::clipboard_refused:
        body = completion(words, "paste_text", R"({"text":"pasted"})");
        break;
    case Fault::windows_changed:
        body = completion(words, "click_element", R"({"label":"field","box":[500,500]})");
        break;
    default:
        return {.body = call()};
    }
    return {.body = std::move(body)};
}

int Model::any(int from, int to) { return between(random_, from, to); }

std::string Model::call() {
    const std::string words =
        fmt::format("<think>The next field, {}.</think>Step {}.", any(1, 1000), replies_);
    const int x = any(0, 1000);
    const int y = any(0, 1000);
    switch (any(1, 16)) {
    case 1:
        return completion(words, "wait", R"({"seconds":0})");
    case 2:
        return completion(words, "type_text", fmt::format(R"({{"text":"line {}\n"}})", x));
    case 3:
        return completion(words, "press_key", R"({"key":"shift+tab"})");
    case 4:
        return completion(words, "scroll_at_position",
                          fmt::format(R"({{"box":[{},{}],"direction":"down"}})", x, y));
    case 5:
        return completion(words, "paste_text", fmt::format(R"({{"text":"text {}"}})", x));
    case 6:
        return completion(words, "list_windows");
    case 7:
        return completion(words, "focus_window",
                          fmt::format(R"({{"title":"window {}"}})", any(1, 4))); // 4: none
    case 8:
        return completion(words, "hotkey", R"({"keys":"ctrl+shift+s"})");
    case 9:
        return completion(
            words, "drag",
            fmt::format(R"({{"label":"field","start":[{},{}],"end":[{},{}]}})", x, y, y, x));
    case 10:
        return completion(words, "read_clipboard"); // the guard denies it
    case 11:
    case 12:
        return completion(words, "click_element",
                          fmt::format(R"({{"label":"field {}","box":[{},{}]}})", x, x, y));
    default:
        return completion(words, "observe_screen");
    }
}

Answer with_fault(Fault fault, int attempt, Answer answer) {
    if (fault == Fault::retries_exhausted ? attempt > attempts : attempt > 1) return answer;
    switch (fault) {
    case Fault::connection_closed:
        answer.cut_after = 200; // the head and a part of the body
        answer.close = true;
        break;
    case Fault::connection_reset:
        answer.cut_after = 0;
        answer.close = true;
        break;
    case Fault::status_500:
    case Fault::retries_exhausted:
        answer.status = 500;
        answer.body = R"({"error":{"message":"the soak wants it"}})";
        break;
    case Fault::status_429:
        answer.status = 429;
        answer.headers = {{"retry-after-ms", "5"}};
        answer.body = R"({"error":{"message":"slow down"}})";
        break;
    case Fault::no_answer:
        answer.never = true;
        break;
    case Fault::malformed_json:
        answer.body.resize(answer.body.size() / 2);
        break;
    default:
        break;
    }
    return answer;
}

} // namespace soak
