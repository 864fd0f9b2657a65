// Jumps of the real-time clock, as after a correction or in a virtual machine that continues.
#include "scene.hpp"

#include "eyehand/agent/journal_reader.hpp"

#include "catch.hpp"

#include <algorithm>
#include <array>
#include <ctime>

namespace fault_tests {
namespace {

constexpr long year = 365L * 24 * 3600;

void prepare(Scene& scene) {
    scene.load_library_faults();
    // The clock must not end a wait, and none lasts as long as the jump.
    scene.variables["EYEHAND_SETTLE_QUIET"] = "0.05";
    scene.arguments = {"--max-time", "300"};
}

std::function<void(Scene&)> jump(long seconds) {
    return [seconds](Scene& scene) { scene.set_fault("clock", seconds); };
}

/// The times in the journal are those of a clock that does not jump.
void check_times(Scene& scene) {
    std::vector<std::chrono::milliseconds> times;
    for (const eyehand::agent::Event& event :
         eyehand::agent::read_journal(scene.run() / "events.jsonl"))
        times.push_back(event.t);
    CHECK(std::is_sorted(times.begin(), times.end()));
    CHECK(times.back() < std::chrono::hours(1));
}

/// The time as HTTP writes it.
std::string http_date(std::time_t time) {
    std::array<char, 64> text{};
    std::tm parts{};
    std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&time, &parts));
    return text.data();
}

/// The server wants another attempt a second later.
Answer wants_a_pause() {
    const std::time_t now = std::time(nullptr);
    return {.status = 429,
            .body = R"({"error":{"message":"too many requests"}})",
            .headers = {{"Date", http_date(now)}, {"Retry-After", http_date(now + 1)}}};
}

} // namespace

std::vector<Row> clock_rows() {
    return {
        {.name = "clock: it jumps a year forward",
         .answers = {looks(), looks(), is_done()},
         .before = prepare,
         .fault = jump(year),
         .message = "It is done.",
         .outcome = "completed",
         .then = check_times},
        {.name = "clock: it jumps a year back",
         .answers = {looks(), looks(), is_done()},
         .before = prepare,
         .fault = jump(-year),
         .message = "It is done.",
         .outcome = "completed",
         .then = check_times},
        {.name = "clock: it is half a year behind that of the server, which wants a pause",
         .answers = {looks(), wants_a_pause(), is_done()},
         .before = prepare,
         .fault = jump(-year / 2),
         .message = "It is done.",
         .outcome = "completed",
         .then = check_times},
    };
}

} // namespace fault_tests
