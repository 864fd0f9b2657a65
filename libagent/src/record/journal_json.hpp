// The journal's entries as JSON, and back.
#pragma once

#include "eyehand/agent/event.hpp"
#include "json/json.hpp"

#include <optional>
#include <string_view>

namespace eyehand::agent {

/// What the first entry holds in place of the hash of the line before it.
inline constexpr std::string_view no_hash =
    "0000000000000000000000000000000000000000000000000000000000000000";

/// The entry's "type".
[[nodiscard]] std::string_view type_name(const Payload& payload);
/// What the journal keeps of a request.
[[nodiscard]] Asked asked(const Ask& command);
/// Adds the payload's own members.
void write_payload(const Payload& payload, json::object& entry);
/// The inverse: UnknownEvent for a type of a later version. Throws std::exception when a member is
/// missing or of the wrong type.
[[nodiscard]] Payload read_payload(const json::object& entry);
/// The payload as a fact; nothing for all other events.
[[nodiscard]] std::optional<Fact> fact_of(const Payload& payload);
/// The fact that stands for a command to act that no fact follows; nothing for the other commands,
/// which can be repeated.
[[nodiscard]] std::optional<Fact> interrupted(const Payload& command);

} // namespace eyehand::agent
