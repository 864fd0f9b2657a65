// The placeholders of positions in prompts and descriptions.
#include "eyehand/agent/coordinates.hpp"

#include <charconv>
#include <optional>
#include <vector>

namespace eyehand::agent {
namespace {

std::string_view unit_of(CoordinateConvention convention) {
    switch (convention) {
    case CoordinateConvention::norm1000:
    case CoordinateConvention::norm999:
    case CoordinateConvention::norm1000_yx:
        break;
    case CoordinateConvention::unit:
        return "as fractions of the screenshot";
    case CoordinateConvention::percent:
        return "in percent of the screenshot";
    case CoordinateConvention::image_pixels:
    case CoordinateConvention::model_pixels_28:
    case CoordinateConvention::model_pixels_32:
        return "in pixels of the screenshot";
    }
    return "whatever the size of the screenshot";
}

/// Numbers from 0 to 1000, divided by commas; empty for anything else.
std::vector<double> places_in(std::string_view text) {
    std::vector<double> places;
    while (true) {
        double place = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), place);
        if (error != std::errc{} || !(place >= 0 && place <= 1000)) return {};
        places.push_back(place);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (text.empty()) return places;
        if (text.front() != ',') return {};
        text.remove_prefix(1);
    }
}

/// The text for the placeholder `{{name}}`; empty if the name does not stand for a position.
std::string meaning_of(std::string_view name, const CoordinateConverter& numbers) {
    const bool y_first = numbers.convention() == CoordinateConvention::norm1000_yx;
    if (name == "point") return y_first ? "[y, x]" : "[x, y]";
    if (name == "box") return y_first ? "[y1, x1, y2, x2]" : "[x1, y1, x2, y2]";
    if (name == "unit") return std::string(unit_of(numbers.convention()));
    const ModelPoint max = numbers.max_point();
    if (name == "range")
        return max.x == max.y ? "0 to " + CoordinateConverter::text(max.x) : numbers.range_text();
    const std::size_t colon = name.find(':');
    if (colon == std::string_view::npos) return {};
    const std::string_view kind = name.substr(0, colon);
    const std::vector<double> places = places_in(name.substr(colon + 1));
    if (kind == "point" && places.size() == 2)
        return numbers.text(winio::NormPoint{places[0], places[1]});
    if (places.size() != 1) return {};
    if (kind == "x") return CoordinateConverter::text(numbers.to_model({places[0], 0}).x);
    if (kind == "y") return CoordinateConverter::text(numbers.to_model({0, places[0]}).y);
    return {};
}

} // namespace

std::string CoordinateConverter::filled_in(std::string_view text) const {
    std::string filled;
    while (true) {
        const std::size_t open = text.find("{{");
        const std::size_t close = open == std::string_view::npos ? open : text.find("}}", open + 2);
        if (close == std::string_view::npos) return filled.append(text);
        const std::string meaning = meaning_of(text.substr(open + 2, close - open - 2), *this);
        filled.append(text.substr(0, open));
        if (meaning.empty()) {
            filled.append("{{");
            text.remove_prefix(open + 2);
        } else {
            filled.append(meaning);
            text.remove_prefix(close + 2);
        }
    }
}

} // namespace eyehand::agent
