// Repairs the almost valid JSON of models, if only one repair is plausible.
#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::vlm::wire {

enum class Repair {
    trailing_comma,    ///< removed a comma before a closing bracket
    control_character, ///< escaped a raw line break or other control character in a string
    unclosed,          ///< added a closing quote, brackets or braces at the end
    surplus_bracket,   ///< removed closing brackets or braces after the end
    unpacked           ///< unpacked JSON inside a JSON string
};

/// A readable name, such as "trailing comma".
[[nodiscard]] std::string_view to_string(Repair repair);

struct RepairedJson {
    std::string text{};            ///< JSON; unchanged if it was valid
    std::vector<Repair> repairs{}; ///< in the order of the enumeration, without duplicates
};

/// Returns nothing if `text` cannot be repaired. Repairing the result again changes nothing.
///
/// Ambiguous faults are not repaired: single quotes, missing commas, words such as True, a missing
/// bracket in the middle, a comma or colon at the very end (the next value is missing), an unclosed
/// string with brackets (which may belong after it). `unclosed` completes text whose end the model
/// forgot. If an output limit cut off the text, this repair would be a guess, and the caller should
/// reject it.
[[nodiscard]] std::optional<RepairedJson> repair_json(std::string_view text);

struct RepairedObject {
    std::string text{}; ///< as above
    boost::json::object value{};
    std::vector<Repair> repairs{};
};

/// The same for texts that must be objects, such as arguments of tools. JSON inside a JSON string
/// is unpacked once.
[[nodiscard]] std::optional<RepairedObject> repair_object(std::string_view text);

} // namespace eyehand::vlm::wire
