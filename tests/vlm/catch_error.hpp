// Runs something that must throw vlm::Error, and hands the error over for a closer look.
#pragma once

#include "catch.hpp"
#include "vlm/error.hpp"

#include <optional>
#include <string>

template <class Action>
vlm::Error error_of(Action action) {
    std::optional<vlm::Error> caught;
    try {
        action();
    } catch (const vlm::Error& error) {
        caught = error;
    }
    if (!caught) FAIL("nothing was thrown");
    return *caught;
}

inline bool mentions(const vlm::Error& error, const std::string& words) {
    return std::string(error.what()).find(words) != std::string::npos;
}
