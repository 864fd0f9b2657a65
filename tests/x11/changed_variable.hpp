// Reads an environment variable, or changes it temporarily.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace x11_tests {

/// The value of the variable, or an empty string if it is not set.
inline std::string variable_or_empty(const char* name) {
    const char* value = getenv(name);
    return value ? value : "";
}

/// The destructor restores the value of the variable, or removes it if it was not set.
class ChangedVariable {
public:
    ChangedVariable(const char* name, const char* value) : name_(name) {
        if (const char* before = getenv(name)) before_ = before;
        setenv(name, value, 1);
    }
    ~ChangedVariable() {
        if (before_)
            setenv(name_, before_->c_str(), 1);
        else
            unsetenv(name_);
    }
    ChangedVariable(const ChangedVariable&) = delete;
    ChangedVariable& operator=(const ChangedVariable&) = delete;

private:
    const char* name_;
    std::optional<std::string> before_;
};

} // namespace x11_tests
