// A minimal test framework, because the programs here must build without this project's test suite.
#pragma once

#include <cstdio>

inline int failures = 0;

inline void check(bool good, const char* what) {
    if (!good) ++failures;
    std::printf("%s: %s\n", good ? "ok" : "FAILED", what);
    std::fflush(stdout); // keeps the output before a crash
}
