// Boost.JSON as this library uses it.
#pragma once

#include "eyehand/agent/json_view.hpp"

#include <boost/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace eyehand::agent {

namespace json = boost::json;

/// A parsed document for JsonViews.
class JsonDocument {
public:
    explicit JsonDocument(json::value value) : value_(std::move(value)) {}
    [[nodiscard]] JsonView view() const { return JsonView(&value_); }
    [[nodiscard]] static JsonView view_of(const json::value& value) { return JsonView(&value); }
    [[nodiscard]] static const json::value& value_of(const JsonView& view) {
        return *static_cast<const json::value*>(view.value_);
    }

private:
    json::value value_;
};

/// Parses JSON text. Returns nothing for invalid text, with reason and place in `problem`.
[[nodiscard]] std::optional<json::value> parse_json(std::string_view text,
                                                    std::string* problem = nullptr);

/// Readable JSON text: numbers as "20.5", where Boost.JSON writes "2.05E1".
[[nodiscard]] std::string to_text(const json::value& value);

} // namespace eyehand::agent
