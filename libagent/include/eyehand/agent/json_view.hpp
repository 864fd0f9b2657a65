// A read-only look at a JSON value, so that public headers need no JSON library.
#pragma once

#include "eyehand/export.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace eyehand::agent {

/// Refers to a value inside a parsed document; valid as long as that lives. Cheap to copy. The
/// getters require the matching kind.
class EYEHAND_AGENT_API JsonView {
public:
    enum class Kind { null, boolean, number, string, array, object };

    [[nodiscard]] Kind kind() const;
    [[nodiscard]] bool boolean() const;
    [[nodiscard]] double number() const;
    [[nodiscard]] std::string_view string() const; ///< UTF-8
    [[nodiscard]] std::size_t size() const;        ///< of an array
    [[nodiscard]] JsonView at(std::size_t index) const;
    [[nodiscard]] std::optional<JsonView> find(std::string_view member) const; ///< in an object
    [[nodiscard]] std::string text() const;                                    ///< serialised

private:
    friend class JsonDocument;
    explicit JsonView(const void* value) : value_(value) {}
    const void* value_;
};

/// `text` as a JSON string, with quotes and escapes; invalid UTF-8 becomes U+FFFD.
[[nodiscard]] EYEHAND_AGENT_API std::string json_quote(std::string_view text);
/// The shortest JSON number that reads back as `value`; whole numbers without a fraction.
[[nodiscard]] EYEHAND_AGENT_API std::string json_number(double value);

} // namespace eyehand::agent
