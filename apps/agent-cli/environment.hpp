// Environment variables as numbers and texts, with errors that name the variable.
#pragma once

#include "eyehand/vlm/proxies.hpp"

#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>

namespace eyehand::cli {

/// A mistake of the user; what() names the option or variable and the remedy.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Return nothing if the variable is not set or empty. Throw UsageError if the value is not a
/// number in the range.
[[nodiscard]] std::optional<std::string> text_variable(const std::string& name);
[[nodiscard]] std::optional<int> int_variable(const std::string& name, int min, int max);
[[nodiscard]] std::optional<double> number_variable(const std::string& name, double min,
                                                    double max);

struct Variable {
    std::string name;
    std::string value;
};

/// The first of these variables that is set and not empty.
[[nodiscard]] std::optional<Variable> first_variable(std::initializer_list<const char*> names);

/// The variables that name proxies, and the hosts that are reached without one; each if it is set.
struct ProxyVariables {
    std::optional<Variable> http;
    std::optional<Variable> https;
    std::optional<Variable> none;

    [[nodiscard]] vlm::Proxies proxies() const;
};
[[nodiscard]] ProxyVariables proxy_variables();

} // namespace eyehand::cli
