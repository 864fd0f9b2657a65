// The overhead of agent-cli, on the display that the environment names; skipped without one.
#include "agent_program.hpp"

#include <benchmark/benchmark.h>

#include <exception>

namespace {

void turn_overhead(benchmark::State& state) {
    try {
        for (auto _ : state)
            state.SetIterationTime(bench::median(bench::turn_overheads_ms(20)) / 1000);
    } catch (const std::exception& problem) {
        state.SkipWithError(problem.what());
    }
}

void first_request(benchmark::State& state) {
    try {
        for (auto _ : state) state.SetIterationTime(bench::first_request_ms() / 1000);
    } catch (const std::exception& problem) {
        state.SkipWithError(problem.what());
    }
}

BENCHMARK(turn_overhead)
    ->Name("turn/overhead")
    ->UseManualTime()
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(first_request)
    ->Name("start/first_request")
    ->UseManualTime()
    ->Iterations(20)
    ->Unit(benchmark::kMillisecond);

} // namespace
