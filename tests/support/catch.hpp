// Includes Catch2, v2 (Debian) or v3 (vcpkg); no other file depends on the version.
#ifndef EYEHAND_TEST_CATCH_HPP
#define EYEHAND_TEST_CATCH_HPP
// Not "#pragma once": this header is precompiled. GCC recognizes a file in a precompiled header by its checksum, but
// ccache can return a precompiled header that it made before a comment in this file changed.

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

#endif
