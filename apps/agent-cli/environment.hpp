// Environment variables as numbers and texts, with errors that name the variable.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

namespace cli {

/// The user asked for something that makes no sense; what() names the option or variable and the
/// remedy.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Nothing when the variable is not set or empty. Throw UsageError when it is no number in the
/// range.
[[nodiscard]] std::optional<std::string> text_variable(const std::string& name);
[[nodiscard]] std::optional<int> int_variable(const std::string& name, int least, int most);
[[nodiscard]] std::optional<double> number_variable(const std::string& name, double least,
                                                    double most);

} // namespace cli
