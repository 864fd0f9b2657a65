// What an exception means, for the user.
#pragma once

#include <exception>
#include <new>
#include <string>

namespace eyehand::base {

/// `what()`, except for exceptions of the language whose text names only their type.
[[nodiscard]] inline std::string exception_text(const std::exception& exception) {
    if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr)
        return "out of memory: close other programs";
    return exception.what();
}

} // namespace eyehand::base
