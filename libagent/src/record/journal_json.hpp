// The journal's entries as JSON, and back.
#pragma once

#include "eyehand/agent/event.hpp"
#include "json/json.hpp"

#include <optional>
#include <string_view>

namespace eyehand::agent {

/// The entry's "type".
[[nodiscard]] std::string_view type_name(const Payload& payload);
/// Adds the payload's own members.
void write_payload(const Payload& payload, json::object& entry);
/// The fact an entry tells of; nothing for all other entries. Throws std::exception when a member
/// is missing or of the wrong type.
[[nodiscard]] std::optional<Fact> read_fact(const json::object& entry);
/// What a command that may have acted comes to if no fact followed it; nothing for the others,
/// which can be done again.
[[nodiscard]] std::optional<Fact> interrupted(const json::object& command);

} // namespace eyehand::agent
