#include "json_text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace stand_in {
namespace {

namespace json = boost::json;

std::string array_text(const json::array& array) {
    std::string text;
    for (const json::value& item : array) text += (text.empty() ? "" : ",") + json_text(item);
    return '[' + text + ']';
}

std::string object_text(const json::object& object) {
    std::string text;
    for (const auto& [name, value] : object) {
        text += text.empty() ? "" : ",";
        text += json::serialize(json::string(name)) + ':' + json_text(value);
    }
    return '{' + text + '}';
}

} // namespace

std::string json_text(const json::value& value) {
    if (value.is_array()) return array_text(value.get_array());
    if (value.is_object()) return object_text(value.get_object());
    if (value.is_double()) return fmt::format("{}", value.get_double());
    return json::serialize(value);
}

} // namespace stand_in
