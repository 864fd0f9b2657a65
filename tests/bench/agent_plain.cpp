// turn/overhead and start/first_request without Google Benchmark: eyehand-bench-agent [ROUNDS]
// prints medians in milliseconds.
#include "agent_program.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 20;
    try {
        std::printf("turn/overhead        %6.1f ms\n",
                    bench::median(bench::turn_overheads_ms(rounds)));
        std::vector<double> starts;
        for (int i = 0; i < rounds; ++i) starts.push_back(bench::first_request_ms());
        std::printf("start/first_request  %6.1f ms\n", bench::median(starts));
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
    return 0;
}
