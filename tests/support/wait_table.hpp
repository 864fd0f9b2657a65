// Compares the wait for a reaction with the wait for a stable screen alone, the former method.
#pragma once

#include "eyehand/winio/settle.hpp"

#include "catch.hpp"

#include <algorithm>
#include <chrono>
#include <iomanip>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace test {

/// A delay of the reaction; empty: the window never reacts.
using Delay = std::optional<std::chrono::milliseconds>;

/// Calls `react(delay)`, which clicks and returns a `Reacted`, and `settle(delay)`, which clicks and
/// returns a `Settled`, alternately, and prints a row of the table in docs/performance.md for each
/// delay.
template <typename React, typename Settle>
void print_wait_table(const std::vector<Delay>& delays, const React& react, const Settle& settle) {
    using std::chrono::milliseconds;
    constexpr std::size_t rounds = 15;
    const auto median = [](std::vector<milliseconds>& waits) {
        std::ranges::sort(waits);
        return waits[waits.size() / 2].count();
    };
    std::cout << "| reaction after | end of the wait | wait | until stable | difference | ratio |\n"
                 "| --- | --- | --- | --- | --- | --- |\n";
    for (const Delay& delay : delays) {
        std::vector<milliseconds> reacted;
        std::vector<milliseconds> stable;
        std::set<std::string_view> ends;
        for (std::size_t round = 0; round < rounds; ++round) {
            const eyehand::winio::Reacted look = react(delay);
            reacted.push_back(look.waited);
            ends.insert(to_string(look.end));
            stable.push_back(settle(delay).waited);
        }
        std::string end;
        for (const std::string_view name : ends)
            end += (end.empty() ? "" : ", ") + std::string(name);
        const auto now = median(reacted);
        const auto former = median(stable);
        std::cout << "| " << (delay ? std::to_string(delay->count()) + " ms" : "never") << " | "
                  << end << " | " << now << " ms | " << former << " ms | " << now - former
                  << " ms | " << std::fixed << std::setprecision(2)
                  << static_cast<double>(now) / static_cast<double>(former) << " |" << std::endl;
    }
}

} // namespace test
