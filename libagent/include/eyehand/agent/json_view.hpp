// A read-only view of a JSON value, so that public headers need no JSON library.
#pragma once

#include "eyehand/export.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace eyehand::agent {

struct JsonMember;

/// Refers to a value inside a parsed document and is valid as long as the document. Cheap to copy.
/// The getters require the matching kind.
class EYEHAND_AGENT_API JsonView {
public:
    enum class Kind { null, boolean, number, string, array, object };

    [[nodiscard]] Kind kind() const;
    [[nodiscard]] bool boolean() const;
    /// A number as a double: the nearest one for an integer of more than 53 bits. Not finite for a
    /// number that exceeds the range of a double.
    [[nodiscard]] double number() const;
    /// The exact value of a number that is an integer in the range of std::int64_t; nothing for
    /// every other number. A number with a fraction or an exponent counts as the double that it
    /// denotes: 3.0 and 3e0 are the integer 3.
    [[nodiscard]] std::optional<std::int64_t> integer() const;
    /// The same in the range of std::uint64_t: nothing for a negative number.
    [[nodiscard]] std::optional<std::uint64_t> unsigned_integer() const;
    [[nodiscard]] std::string_view string() const; ///< UTF-8
    /// The number of elements of an array or members of an object.
    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] JsonView at(std::size_t index) const; ///< an element of an array
    /// A member of an object in the order of the document; of members with the same name, the
    /// document keeps the last value. `index` must be less than size().
    [[nodiscard]] JsonMember member(std::size_t index) const;
    [[nodiscard]] std::optional<JsonView> find(std::string_view member) const; ///< in an object
    [[nodiscard]] std::string text() const;                                    ///< serialized

private:
    friend class JsonDocument;
    explicit JsonView(const void* value) : value_(value) {}
    const void* value_;
};

/// A member of an object; valid as long as the document.
struct JsonMember {
    std::string_view name; ///< UTF-8
    JsonView value;
};

/// `text` as a JSON string, with quotes and escapes; invalid UTF-8 becomes U+FFFD.
[[nodiscard]] EYEHAND_AGENT_API std::string json_quote(std::string_view text);
/// The shortest JSON number that reads back as `value`; integers have no fraction.
[[nodiscard]] EYEHAND_AGENT_API std::string json_number(double value);

} // namespace eyehand::agent
