// Includes Catch2, v2 (Debian) or v3 (vcpkg); no other file depends on the version.
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
