// Ids of models as servers report them, and the rules of the table of families.
#pragma once

#include <string>
#include <string_view>

namespace eyehand::agent {

/// The last component of a path, in lower case, without ".gguf", "-", "_" and spaces. Dots and colons
/// stay: without them, "qwen3-8b" and "qwen3.8" would be the same.
[[nodiscard]] std::string normalized_model_id(std::string_view model_id);

/// Calls `visit` with each alternative of `ModelFamily::ids`, until it returns true. Returns whether it
/// has.
template <class Visit>
bool any_alternative(std::string_view ids, Visit visit) {
    for (;;) {
        const auto end = ids.find('|');
        if (visit(ids.substr(0, end))) return true;
        if (end == std::string_view::npos) return false;
        ids.remove_prefix(end + 1);
    }
}

/// Whether a normalized id contains each part of an alternative.
[[nodiscard]] bool contains_parts(std::string_view normalized_id, std::string_view alternative);

} // namespace eyehand::agent
