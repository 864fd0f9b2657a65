// JSON as models write it: nearly. What they meant is restored where it can only be one thing.
#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::vlm::wire {

enum class Repair {
    trailing_comma,    ///< a comma before a closing bracket is left out
    control_character, ///< a raw line break or other control character in a string is escaped
    unclosed,          ///< closing quote, brackets or braces are added at the end
    surplus_bracket,   ///< closing brackets or braces behind the end are left out
    unpacked           ///< JSON inside a JSON string
};

/// In words for people: "trailing comma".
[[nodiscard]] std::string_view to_string(Repair repair);

struct RepairedJson {
    std::string text{};            ///< JSON; byte for byte what was given if that was JSON
    std::vector<Repair> repairs{}; ///< in the order of the enumeration, each once; empty: none
};

/// Nothing if `text` is not JSON even so. Repairing the result changes nothing.
///
/// What could mean two things is not touched: single quotes, missing commas, words such as True, a
/// bracket missing in the middle, a comma or colon at the very end (what follows is missing), an
/// open string that holds brackets (they may have been meant to be behind it). `unclosed` completes
/// what its writer forgot to end; for text that an output limit has cut off it would be a guess, so
/// a caller who knows of one refuses this repair.
[[nodiscard]] std::optional<RepairedJson> repair_json(std::string_view text);

struct RepairedObject {
    std::string text{}; ///< as above
    boost::json::object value{};
    std::vector<Repair> repairs{};
};

/// The same where only an object will do, as for arguments of tools. JSON inside a JSON string is
/// unpacked once.
[[nodiscard]] std::optional<RepairedObject> repair_object(std::string_view text);

} // namespace eyehand::vlm::wire
