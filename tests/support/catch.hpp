// The one place that knows which Catch2 this is: v2 (Debian) or v3 (vcpkg).
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Matchers::ContainsSubstring;
#else
#include <catch2/catch.hpp>
inline auto ContainsSubstring(const std::string& text,
                              Catch::CaseSensitive::Choice which = Catch::CaseSensitive::Yes) {
    return Catch::Matchers::Contains(text, which);
}
#endif
