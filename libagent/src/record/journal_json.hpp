// Converts entries of the journal to JSON and back.
#pragma once

#include "eyehand/agent/event.hpp"
#include "json/json.hpp"

#include <optional>
#include <string_view>

namespace eyehand::agent {

/// The "prev" of the first entry, which has no line before it.
inline constexpr std::string_view no_hash =
    "0000000000000000000000000000000000000000000000000000000000000000";

/// The entry's "type".
[[nodiscard]] std::string_view type_name(const Payload& payload);
/// The journal's entry for a request.
[[nodiscard]] Asked asked(const Ask& command);
/// Adds the payload's own members.
void write_payload(const Payload& payload, json::object& entry);
/// Reads the payload of an entry; UnknownEvent for a type of a later version. Throws std::exception
/// if a member is missing or of the wrong type.
[[nodiscard]] Payload read_payload(const json::object& entry);
/// The payload as a fact; nothing for other events.
[[nodiscard]] std::optional<Fact> fact_of(const Payload& payload);
/// The fact for an action without a result, which was interrupted; nothing for other commands,
/// which can be repeated.
[[nodiscard]] std::optional<Fact> interrupted(const Payload& command);

} // namespace eyehand::agent
