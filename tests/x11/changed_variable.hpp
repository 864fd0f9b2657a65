// Temporarily changes an environment variable.
#pragma once

#include <cstdlib>
#include <string>

namespace x11_tests {

/// Restores the value of the variable, which must be set, in its destructor.
class ChangedVariable {
public:
    ChangedVariable(const char* name, const char* value) : name_(name) {
        if (const char* before = getenv(name)) before_ = before;
        setenv(name, value, 1);
    }
    ~ChangedVariable() { setenv(name_, before_.c_str(), 1); }
    ChangedVariable(const ChangedVariable&) = delete;
    ChangedVariable& operator=(const ChangedVariable&) = delete;

private:
    const char* name_;
    std::string before_;
};

} // namespace x11_tests
