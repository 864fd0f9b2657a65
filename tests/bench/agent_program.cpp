#include "agent_program.hpp"

#include "eyehand/vlm/testing/chat_server.hpp"
#include "program.hpp"
#include "temp_folder.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

using namespace eyehand;

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;
namespace json = boost::json;

std::vector<std::string> arguments(const vlm::testing::ChatServer& server,
                                   const test::TempFolder& runs, const std::string& profile,
                                   int steps) {
    return {"run",
            "click here and there",
            "--endpoint",
            server.url(),
            "--quiet",
            "--guard", // it asks about more than 60 actions per minute
            "off",
            "--profile",
            profile,
            "--max-turns",
            std::to_string(steps),
            "--run-dir",
            runs.path().string(),
            "--json",
            "--no-probe"}; // the number of probe requests depends on the server
}

void check(const test::ProcessResult& result, int status) {
    if (result.status != status)
        throw std::runtime_error("agent-cli ended with status " + std::to_string(result.status) +
                                 ": " + result.err);
}

double number(const json::object& entry, std::string_view member) {
    const json::value* value = entry.if_contains(member);
    return value != nullptr && value->is_number() ? value->to_number<double>() : 0;
}

} // namespace

std::vector<double> turn_overheads_ms(int turns) {
    const test::TempFolder runs;
    vlm::testing::ChatServer server;
    // The first turn is a warm-up, and the limit ends the last one.
    for (int i = 0; i < turns + 2; ++i) {
        const std::string place = std::to_string(100 + i * 70 % 800);
        server.enqueue(
            {.body = vlm::testing::completion(
                 "", "click_element", R"({"label":"place","box":[)" + place + "," + place + "]}")});
        server.enqueue({.body = vlm::testing::completion("", "observe_screen")});
    }
    const auto result = test::run_program(test::program_folder() / "agent-cli",
                                          arguments(server, runs, "observer", 2 * turns + 3));
    check(result, 3);
    // Measures from one request to the next but one, without the time of the model and the wait for
    // the screen. The last capture of that wait counts as overhead, because a screenshot needs it
    // anyway.
    std::vector<double> overheads;
    std::istringstream lines(result.out);
    double began = 0;
    double others = 0;
    int asked = 0;
    for (std::string line; std::getline(lines, line);) {
        const json::object entry = json::parse(line).as_object();
        const json::string& type = entry.at("type").as_string();
        if (type == "ask" && asked++ % 2 == 0) {
            const double now = number(entry, "t");
            if (asked > 3) overheads.push_back(now - began - others); // skips the warm-up
            began = now;
            others = 0;
        }
        others +=
            number(entry, "model_ms") + number(entry, "settle_ms") - number(entry, "capture_ms");
    }
    return overheads;
}

double first_request_ms() {
    const test::TempFolder runs;
    vlm::testing::ChatServer server;
    server.enqueue({.body = vlm::testing::completion("done")});
    Clock::time_point asked;
    const auto start = Clock::now();
    // This profile sends a request before it takes a screenshot.
    const auto result =
        test::run_program(test::program_folder() / "agent-cli", arguments(server, runs, "basic", 1),
                          {.while_running = [&](const std::function<void()>&) {
                              server.wait_for_requests(1, std::chrono::seconds(60));
                              asked = Clock::now();
                          }});
    check(result, 0);
    return std::chrono::duration<double, std::milli>(asked - start).count();
}

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace bench
