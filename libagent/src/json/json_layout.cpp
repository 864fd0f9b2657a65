#include "json/json_layout.hpp"

namespace eyehand::agent {
namespace {

void write(const json::value& value, std::size_t depth, std::string& text) {
    const auto new_line = [&](std::size_t indent) {
        text += '\n';
        text.append(2 * indent, ' ');
    };
    if (const json::object* object = value.if_object(); object && !object->empty()) {
        char separator = '{';
        for (const auto& [name, member] : *object) {
            text += separator;
            new_line(depth + 1);
            text += to_text(json::value(name));
            text += ": ";
            write(member, depth + 1, text);
            separator = ',';
        }
        new_line(depth);
        text += '}';
    } else if (const json::array* array = value.if_array(); array && !array->empty()) {
        char separator = '[';
        for (const json::value& element : *array) {
            text += separator;
            new_line(depth + 1);
            write(element, depth + 1, text);
            separator = ',';
        }
        new_line(depth);
        text += ']';
    } else {
        text += to_text(value);
    }
}

} // namespace

std::string laid_out(const json::value& value) {
    std::string text;
    write(value, 0, text);
    return text;
}

} // namespace eyehand::agent
