// The texts of a run's requests: system prompts, messages, replies and results of tools. A run stores
// each text once, as prompts/HH/HASH.txt; the journal names the texts of each request (SentMessages).
//
//     for (const agent::Event& event : agent::read_journal(store))
//         agent::visit(event, [&](const agent::Asked& it) {
//             if (!it.sent) return; // a journal of an older version
//             for (const agent::SentMessage& message : it.sent->added)
//                 for (const agent::SentPart& part : message.parts)
//                     std::cout << agent::read_prompt(store, part.text.hash).value_or("an image");
//         }, [](const auto&) {});
#pragma once

#include "eyehand/agent/run_store.hpp"
#include "eyehand/export.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace eyehand::agent {

/// The text with this hash; nothing if it is missing, was changed, or exceeds 16 MB. Any `hash` is
/// accepted, because journals can be damaged.
[[nodiscard]] EYEHAND_AGENT_API std::optional<std::string> read_prompt(const RunStore& store,
                                                                       std::string_view hash);
/// The same from a run directory of an untrusted source: reads only regular files in the directory.
[[nodiscard]] EYEHAND_AGENT_API std::optional<std::string>
read_prompt(const std::filesystem::path& run_directory, std::string_view hash);

} // namespace eyehand::agent
