#include "environment.hpp"

#include "platform.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace eyehand::cli {
namespace {

template <class Number>
std::optional<Number> parse_variable(const std::string& name, Number min, Number max) {
    const std::optional<std::string> text = text_variable(name);
    if (!text) return std::nullopt;
    Number value{};
    const char* end = text->data() + text->size();
    const auto [stopped, error] = std::from_chars(text->data(), end, value);
    if (error != std::errc{} || stopped != end || !(value >= min && value <= max)) {
        throw UsageError(fmt::format(
            "the environment variable {} is \"{}\"; it must be a {} from {} to {}", name, *text,
            std::is_integral_v<Number> ? "whole number" : "number", min, max));
    }
    return value;
}

// A web server passes the header "Proxy" of a request to a CGI program as HTTP_PROXY
// (CVE-2016-5385). So a CGI program must ignore that name, and on systems that ignore case,
// http_proxy as well.
std::optional<Variable> http_proxy_variable() {
    const bool in_cgi = text_variable("REQUEST_METHOD").has_value();
    if (!in_cgi) return first_variable({"http_proxy", "HTTP_PROXY"});
    return variables_have_case() ? first_variable({"http_proxy"}) : std::nullopt;
}

} // namespace

std::optional<std::string> text_variable(const std::string& name) {
    std::string value = environment_variable(name);
    if (value.empty()) return std::nullopt;
    return value;
}

std::optional<int> int_variable(const std::string& name, int min, int max) {
    return parse_variable<int>(name, min, max);
}

std::optional<double> number_variable(const std::string& name, double min, double max) {
    return parse_variable<double>(name, min, max);
}

std::optional<Variable> first_variable(std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (auto value = text_variable(name)) return Variable{name, std::move(*value)};
    return std::nullopt;
}

vlm::Proxies ProxyVariables::proxies() const {
    const auto value = [](const std::optional<Variable>& variable) {
        return variable ? variable->value : std::string();
    };
    return {value(http), value(https), value(none)};
}

ProxyVariables proxy_variables() {
    return {http_proxy_variable(), first_variable({"https_proxy", "HTTPS_PROXY"}),
            first_variable({"no_proxy", "NO_PROXY"})};
}

} // namespace eyehand::cli
