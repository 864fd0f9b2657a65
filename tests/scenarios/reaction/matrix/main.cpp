// Runs an agent on windows that react late, and checks that each of its decisions is made on the true screen.
//   reaction-matrix            all scenarios and thinking times (9 minutes); prints the table of docs/performance.md
//   reaction-matrix --quick    a few of them (about 20 s), without a limit that depends on the speed of the machine
//   reaction-matrix SCENARIO MILLISECONDS    one scenario (window/program.hpp) and thinking time
//   --unprotected              the agent does not wait for reactions and does not watch the screen: the checks fail
// Returns 1 if a check fails.
#include "checks.hpp"
#include "eyehand/winio/desktop.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace reaction;
using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {

/// From the latest capture to a press, on an idle machine.
constexpr milliseconds max_gap{100};

struct Row {
    std::string scenario;
    std::vector<milliseconds> thinking_times;
};

std::vector<Row> all_rows() {
    std::vector<Row> rows;
    for (const char* scenario : {"0", "100", "250", "400", "800", "1500", "3000", "splash",
                                 "no_effect", "late_dialog", "clock"})
        rows.push_back({scenario, {300ms, 2000ms, 10000ms}});
    return rows;
}

std::vector<Row> quick_rows() {
    return {{"800", {1000ms}},
            {"splash", {100ms}},
            {"no_effect", {50ms}},
            {"late_dialog", {1000ms}},
            {"clock", {200ms}}};
}

// ---- the table ----------------------------------------------------------------------------------

std::string joined(const std::vector<Measures>& columns, int Measures::*member) {
    std::string text;
    for (const Measures& measures : columns)
        text += (text.empty() ? "" : " / ") + std::to_string(measures.*member);
    return text;
}

std::string rate(const std::vector<Effect>& effects, std::optional<bool> Effect::*member) {
    int known = 0;
    int shown = 0;
    for (const Effect& effect : effects) {
        if (!(effect.*member)) continue;
        ++known;
        shown += *(effect.*member) ? 1 : 0;
    }
    return known == 0 ? "" : std::to_string(shown) + " of " + std::to_string(known);
}

void print_head() {
    std::printf("| scenario | wait | shown | shown after 1.8 s | sent again | refused | clicks | "
                "changed | capture to press |\n"
                "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
}

void print_row(const Row& row, const std::vector<Measures>& columns) {
    std::vector<Effect> effects;
    std::chrono::microseconds gap{};
    for (const Measures& measures : columns) {
        effects.insert(effects.end(), measures.effects.begin(), measures.effects.end());
        gap = std::max(gap, measures.max_gap);
    }
    std::ranges::sort(effects, {}, &Effect::wait);
    std::string waits;
    if (!effects.empty())
        waits = std::to_string(effects[effects.size() / 2].wait.count()) + ", " +
                std::to_string(effects.back().wait.count()) + " ms";
    std::printf(
        "| `%s` | %s | %s | %s | %s | %s | %s | %s | %.0f ms |\n", row.scenario.c_str(),
        waits.c_str(), rate(effects, &Effect::shown).c_str(),
        rate(effects, &Effect::shown_after_fixed_wait).c_str(),
        joined(columns, &Measures::superseded).c_str(), joined(columns, &Measures::refused).c_str(),
        joined(columns, &Measures::presses).c_str(),
        joined(columns, &Measures::late_changes).c_str(), static_cast<double>(gap.count()) / 1000);
    std::fflush(stdout);
}

/// Returns the number of violations.
int run_all(const std::vector<Row>& rows, bool true_screen, bool limits_gap) {
    const auto desktop = eyehand::winio::open_desktop();
    int count = 0;
    print_head();
    for (const Row& row : rows) {
        std::vector<Measures> columns;
        for (const milliseconds thinking_time : row.thinking_times) {
            const std::string name =
                row.scenario + ", thinking for " + std::to_string(thinking_time.count()) + " ms";
            const RunRecord run =
                run_scenario(*desktop, {row.scenario, thinking_time, true_screen});
            columns.push_back(measure(run));
            std::vector<std::string> found = violations(run);
            if (limits_gap && columns.back().max_gap > max_gap)
                found.emplace_back("more than 100 ms from a capture to a press");
            std::fprintf(stderr, "%s: %d ms\n", name.c_str(),
                         static_cast<int>(run.finished.elapsed.count()));
            for (const std::string& violation : found)
                std::fprintf(stderr, "%s: %s\n", name.c_str(), violation.c_str());
            count += static_cast<int>(found.size());
        }
        print_row(row, columns);
    }
    return count;
}

} // namespace

int main(int argc, char** argv) {
    bool quick = false;
    bool true_screen = true;
    std::vector<std::string> words;
    for (const std::string_view argument : std::span(argv + 1, argv + std::max(argc, 1))) {
        if (argument == "--quick")
            quick = true;
        else if (argument == "--unprotected")
            true_screen = false;
        else
            words.emplace_back(argument);
    }
    try {
        std::vector<Row> rows = quick ? quick_rows() : all_rows();
        if (words.size() == 2 && !quick) {
            rows = {{words[0], {milliseconds(std::stoi(words[1]))}}};
        } else if (!words.empty()) {
            std::fprintf(stderr, "usage: reaction-matrix [--unprotected] [--quick | SCENARIO "
                                 "MILLISECONDS]\n");
            return 2;
        }
        const int count = run_all(rows, true_screen, !quick);
        std::fprintf(stderr, "%d violations\n", count);
        return count == 0 ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
