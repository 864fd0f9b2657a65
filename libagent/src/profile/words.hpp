// The words of a profile's JSON, for reading and writing.
#pragma once

#include "eyehand/agent/profile.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eyehand::agent {

inline constexpr int profile_schema = 1;
inline constexpr const char* profile_file = "profile.json";
/// Represents the task in prompts.
inline constexpr std::string_view task_placeholder = "{{task}}";

template <class Enum>
using Words = std::vector<std::pair<std::string, Enum>>;

[[nodiscard]] inline Words<SeveralCalls> several_calls_words() {
    return {
        {"first", SeveralCalls::first}, {"none", SeveralCalls::none}, {"all", SeveralCalls::all}};
}

[[nodiscard]] inline Words<TextToolCalls> text_tool_calls_words() {
    return {{"never", TextToolCalls::never},
            {"if_not_native", TextToolCalls::if_not_native},
            {"until_native", TextToolCalls::until_native}};
}

[[nodiscard]] inline Words<Refine> refine_words() {
    return {{"off", Refine::off}, {"on", Refine::on}, {"small", Refine::small}};
}

[[nodiscard]] inline Words<vlm::ReasoningEffort> reasoning_effort_words() {
    using enum vlm::ReasoningEffort;
    Words<vlm::ReasoningEffort> words;
    for (const auto effort : {none, minimal, low, medium, high, xhigh})
        words.emplace_back(vlm::to_string(effort), effort);
    return words;
}

[[nodiscard]] inline Words<vlm::ImageDetail> image_detail_words() {
    using enum vlm::ImageDetail;
    Words<vlm::ImageDetail> words;
    for (const auto detail : {low, high, automatic, original})
        words.emplace_back(vlm::to_string(detail), detail);
    return words;
}

[[nodiscard]] inline Words<LogLayout> log_layout_words() {
    return {{"screenshots", LogLayout::screenshots},
            {"flat", LogLayout::flat},
            {"turn_dirs", LogLayout::turn_dirs}};
}
[[nodiscard]] inline Words<LogLevel> log_level_words() {
    return {{"debug", LogLevel::debug},
            {"info", LogLevel::info},
            {"warning", LogLevel::warning},
            {"error", LogLevel::error}};
}
[[nodiscard]] inline Words<LoopAnswer> loop_answer_words() {
    return {
        {"none", LoopAnswer::none}, {"tell", LoopAnswer::tell}, {"recover", LoopAnswer::recover}};
}

/// The word for a meaning. The meaning must be in `words`.
template <class Enum>
[[nodiscard]] std::string word_for(Enum meaning, const Words<Enum>& words) {
    return std::find_if(words.begin(), words.end(),
                        [&](const auto& word) { return word.second == meaning; })
        ->first;
}

/// The meaning of a word. The word must be in `words`.
template <class Enum>
[[nodiscard]] Enum meaning_of(const std::string& given, const Words<Enum>& words) {
    return std::find_if(words.begin(), words.end(),
                        [&](const auto& word) { return word.first == given; })
        ->second;
}

} // namespace eyehand::agent
