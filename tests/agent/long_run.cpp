// Checks that an agent can work for days: 10,000 turns of a team and of a conversation (with
// sanitizers 2,000, under Wine 1,000).
//   eyehand-long-run PROFILE [TURNS]
// Fails if memory grows with the turns, if a request exceeds the profile's limit, or if the run
// directory is unreadable at any time. Status 0: success.
//
// Without sanitizers, the memory is the peak of the resident set. Sanitizers keep freed memory, so
// that with them it is the allocated memory, after a tenth of the turns and at the end.
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/journal.hpp"
#include "eyehand/agent/team_settings.hpp"
#include "eyehand/vlm/model.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "temp_folder.hpp"
#include "unguarded.hpp"
#include "json/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#ifdef _WIN32
#include <windows.h>

#include <psapi.h>
#endif

using namespace eyehand;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define EYEHAND_SANITIZED 1
extern "C" std::size_t
__sanitizer_get_current_allocated_bytes(); // GCC 12 does not install its header
#endif

namespace {

using namespace agent;

constexpr std::size_t most_peak_bytes = 64U << 20U;
// A team never deletes its records of actions: some hundred bytes per turn.
constexpr std::size_t max_growth_bytes_per_turn = 1500;

void require(bool so, const std::string& what) {
    if (!so) throw std::runtime_error(what);
}

/// The maximum memory of this process so far, in bytes.
std::size_t peak_bytes() {
#ifdef _WIN32
    PROCESS_MEMORY_COUNTERS counters{};
    require(GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters) != 0,
            "the system does not tell how much memory there was");
    return counters.PeakWorkingSetSize;
#else
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:")) return std::stoul(line.substr(6)) * 1024;
    throw std::runtime_error("/proc/self/status has no VmHWM");
#endif
}

/// The allocated memory, if the allocator reports it.
std::optional<std::size_t> held_bytes() {
#ifdef EYEHAND_SANITIZED
    return __sanitizer_get_current_allocated_bytes();
#else
    return std::nullopt;
#endif
}

/// Reads the new entries of a run directory's journal, and all other files again.
class Reader {
public:
    explicit Reader(std::filesystem::path run)
        : run_(std::move(run)), journal_(run_ / "events.jsonl", std::ios::binary) {}

    void look() {
        require(!load_run(run_).summary.task.empty(), "run.json has no task");
        journal_.clear();
        std::string line;
        while (std::getline(journal_, line)) {
            require(!journal_.eof(), "the journal ends in the middle of a line");
            std::string reason;
            const auto entry = parse_json(line, &reason);
            require(entry && entry->is_object(), "an entry is not a JSON object: " + reason);
            require(entry->at("seq").to_number<std::size_t>() == ++entries_, "an entry is missing");
        }
    }
    [[nodiscard]] std::size_t entries() const { return entries_; }

private:
    std::filesystem::path run_;
    std::ifstream journal_;
    std::size_t entries_ = 0;
};

/// A model that keeps working, and checks its requests.
class Tireless final : public vlm::ChatModel {
public:
    Tireless(std::size_t max_message_bytes, std::function<void(int)> on_turn)
        : max_message_bytes_(max_message_bytes), on_turn_(std::move(on_turn)) {}

    vlm::ChatReply reply(const vlm::ChatRequest& request, const vlm::OnDelta&,
                         std::stop_token) override {
        on_turn_(++turn_);
        std::size_t told = 0;
        for (std::size_t i = 1; i < request.messages.size(); ++i) {
            told += request.messages[i].text().size();
            for (const vlm::ToolCall& call : request.messages[i].tool_calls)
                told += call.arguments_json.size();
        }
        longest_ = std::max(longest_, told);
        require(told <= max_message_bytes_, fmt::format("turn {}: {} bytes are told, {} may be",
                                                        turn_, told, max_message_bytes_));
        const std::string& first = request.tools.at(0).name;
        if (first == "spawn_operator") return lead(request);
        if (first == "observe_screen" && turn_ % 5 == 0) return call("observe_screen", "{}");
        const int x = turn_ * 37 % 1000;
        return call("click_element",
                    fmt::format(R"({{"justification":"it is next","label":"field {0}",)"
                                R"("position":[{1},500],"box":[{1},500]}})",
                                turn_, x));
    }
    [[nodiscard]] std::size_t longest() const { return longest_; }

private:
    [[nodiscard]] vlm::ChatReply lead(const vlm::ChatRequest& request) const {
        const std::string context = request.messages.at(1).text();
        if (context.find("MEMORY IS FULL") == std::string::npos || turn_ % 2 == 0)
            return call("spawn_operator",
                        R"({"operator_instructions":"Click the next field.","rationale":"next"})");
        std::string turns;
        constexpr std::string_view mark = "- turn ";
        for (std::size_t at = context.find(mark); at != std::string::npos;
             at = context.find(mark, at + 1)) {
            const std::size_t from = at + mark.size();
            turns +=
                (turns.empty() ? "" : ",") + context.substr(from, context.find(':', from) - from);
        }
        return call("compress_memory",
                    fmt::format(R"({{"compression_summary":"The fields so far are done; turn {}.",)"
                                R"("loop_analysis":"none","archived_turns":[{}]}})",
                                turn_, turns));
    }
    [[nodiscard]] vlm::ChatReply call(const std::string& tool, const std::string& arguments) const {
        return {.text = "<think>The field that is next has to be clicked.</think>Next: turn " +
                        std::to_string(turn_) + ". " + std::string(100, '.'),
                .tool_calls = {{"call_" + std::to_string(turn_), tool, arguments, {}}}};
    }
    std::size_t max_message_bytes_;
    std::function<void(int)> on_turn_;
    int turn_ = 0;
    std::size_t longest_ = 0;
};

void run(const std::string& name, const std::filesystem::path& folder, int turns) {
    Profile profile = load_profile(name);
    profile.max_turns = turns;
    profile.context_bytes = 8000; // small, so that the limit is reached often
    winio::testing::MemoryDesktop desktop{winio::Size{64, 36}};
    std::uint8_t shade = 0;
    desktop.on_input = [&](const winio::InputEvent&) {
        desktop.screen().fill({5, 5, 40, 20}, {++shade, 100, 100, 255});
    };
    RunDirectory directory = RunDirectory::create(folder);
    std::optional<Reader> reader;
    std::size_t early = 0;
    std::optional<std::size_t> late;
    Tireless model(profile.settings<TeamSettings>()
                       ? profile.settings<TeamSettings>()->context_bytes
                       : profile.context_bytes,
                   [&](int turn) {
                       if (!reader) reader.emplace(directory.path());
                       if (turn % std::max(turns / 10, 1) != 0) return;
                       reader->look();
                       late = held_bytes();
                       if (early == 0) early = late.value_or(0);
                   });
    AgentOptions options = test::unguarded();
    options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
    options.reaction = winio::no_reaction_wait;
    Agent agent(desktop, model, profile, built_in_tools(), options);
    RunControl control;
    const RunFinished finished = agent.run("fill in all the fields", directory, control);
    const std::size_t peak = peak_bytes();

    require(finished.outcome == Outcome::steps_used_up, "it ended early: " + finished.reason);
    require(finished.turns == turns, fmt::format("{} turns", finished.turns));
    reader->look();
    require(load_run(directory.path()).outcome == "steps_used_up", "run.json has no outcome");
    const Journal journal(directory.journal_file()); // its chain of hashes holds
    require(journal.outcome() == "steps_used_up", "the journal has no outcome");

    if (late) {
        const std::size_t growth = *late > early ? *late - early : 0;
        fmt::print("{}: {} turns, {} entries, at most {} bytes told, {} bytes more held after the "
                   "last turn than after a tenth of them\n",
                   name, turns, reader->entries(), model.longest(), growth);
        require(growth <= static_cast<std::size_t>(turns) * max_growth_bytes_per_turn,
                fmt::format("memory grows: {} bytes", growth));
    } else {
        fmt::print("{}: {} turns, {} entries, at most {} bytes told, peak {:.1f} MB\n", name, turns,
                   reader->entries(), model.longest(), static_cast<double>(peak) / (1U << 20U));
        require(peak <= most_peak_bytes, fmt::format("memory grows: a peak of {} bytes", peak));
    }
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    try {
        const test::TempFolder folder;
        run(argv[1], folder.path(), argc > 2 ? std::stoi(argv[2]) : 10000);
    } catch (const std::exception& problem) {
        fmt::print(stderr, "{}\n", problem.what());
        return 1;
    }
    return 0;
}
