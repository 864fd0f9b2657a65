#include "environment.hpp"

#include "platform.hpp"

#include <fmt/format.h>

#include <charconv>

namespace cli {
namespace {

template <class Number>
std::optional<Number> parse_variable(const std::string& name, Number least, Number most) {
    const std::optional<std::string> text = text_variable(name);
    if (!text) return std::nullopt;
    Number value{};
    const char* end = text->data() + text->size();
    const auto [stopped, error] = std::from_chars(text->data(), end, value);
    if (error != std::errc{} || stopped != end || !(value >= least && value <= most)) {
        throw UsageError(fmt::format(
            "the environment variable {} is \"{}\"; it must be a {} from {} to {}", name, *text,
            std::is_integral_v<Number> ? "whole number" : "number", least, most));
    }
    return value;
}

} // namespace

std::optional<std::string> text_variable(const std::string& name) {
    std::string value = environment_variable(name);
    if (value.empty()) return std::nullopt;
    return value;
}

std::optional<int> int_variable(const std::string& name, int least, int most) {
    return parse_variable<int>(name, least, most);
}

std::optional<double> number_variable(const std::string& name, double least, double most) {
    return parse_variable<double>(name, least, most);
}

} // namespace cli
