// What it costs that the journal is on the disk before an action: two entries of a turn, without it, with it,
// and with it while something else happens, as the capture before a press does.
#include "eyehand/agent/journal.hpp"
#include "temp_folder.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <string>

namespace {

using namespace eyehand::agent;

enum class Sync { none, alone, beside_capture };

/// As long as a capture of 1920x1080 on X11 and its comparison. It computes, because a capture does, too.
void capture() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
    while (std::chrono::steady_clock::now() < end) benchmark::ClobberMemory();
}

void turn(benchmark::State& state, Sync sync, bool captures) {
    const test::TempFolder folder;
    Journal journal(folder / "events.jsonl");
    Invoke command;
    command.call.name = "click_element";
    command.call.arguments_json = R"({"label":"OK","box":[500,300]})";
    Invoked fact;
    fact.ok = true;
    fact.result_json = R"({"ok":true,"clicked":"OK","x":500,"y":300})";
    for (auto _ : state) {
        journal.append(Command(command), 1);
        if (sync == Sync::beside_capture) journal.start_sync();
        if (captures) capture();
        if (sync != Sync::none) journal.finish_sync();
        journal.append(Fact(fact), 1);
    }
}

BENCHMARK_CAPTURE(turn, entries, Sync::none, false)
    ->Name("journal/turn/entries")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(turn, synced, Sync::alone, false)
    ->Name("journal/turn/synced")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(turn, captured, Sync::none, true)
    ->Name("journal/turn/captured")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(turn, synced_beside_capture, Sync::beside_capture, true)
    ->Name("journal/turn/synced_beside_capture")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

} // namespace
