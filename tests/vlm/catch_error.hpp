// Runs code that must throw vlm::Error, and returns the error.
#pragma once

#include "catch.hpp"
#include "eyehand/vlm/error.hpp"

#include <optional>
#include <string>

template <class Action>
eyehand::vlm::Error error_of(Action action) {
    std::optional<eyehand::vlm::Error> caught;
    try {
        action();
    } catch (const eyehand::vlm::Error& error) {
        caught = error;
    }
    if (!caught) FAIL("nothing was thrown");
    return *caught;
}

inline bool mentions(const eyehand::vlm::Error& error, const std::string& words) {
    return std::string(error.what()).find(words) != std::string::npos;
}
