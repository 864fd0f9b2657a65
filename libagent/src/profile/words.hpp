// What a profile's JSON calls things, for reading and for writing.
#pragma once

#include "agent/profile.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace agent {

inline constexpr int profile_schema = 1;

template <class Enum>
using Words = std::vector<std::pair<std::string, Enum>>;

[[nodiscard]] inline Words<WithoutBrief> without_brief_words() {
    return {{"fail", WithoutBrief::fail}, {"skip", WithoutBrief::skip}};
}
[[nodiscard]] inline Words<SeveralCalls> several_calls_words() {
    return {{"first", SeveralCalls::first}, {"none", SeveralCalls::none}};
}

[[nodiscard]] inline Words<LoopAnswer> loop_answer_words() {
    return {
        {"none", LoopAnswer::none}, {"tell", LoopAnswer::tell}, {"recover", LoopAnswer::recover}};
}

/// The word for a meaning that has one.
template <class Enum>
[[nodiscard]] std::string word_for(Enum meaning, const Words<Enum>& words) {
    return std::find_if(words.begin(), words.end(),
                        [&](const auto& word) { return word.second == meaning; })
        ->first;
}

} // namespace agent
