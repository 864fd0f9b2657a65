// The smallest possible test framework: the programs here have to build without this project's test suite.
#pragma once

#include <cstdio>

inline int failures = 0;

inline void check(bool good, const char* what) {
    if (!good) ++failures;
    std::printf("%s: %s\n", good ? "ok" : "FAILED", what);
    std::fflush(stdout); // a crash must not hide what came before
}
