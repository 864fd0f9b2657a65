#include "eyehand/base/create_process.hpp"

#include "catch.hpp"

#include <windows.h>

using eyehand::base::create_process;

namespace {

bool refuse(DWORD error) {
    SetLastError(error);
    return false;
}

} // namespace

TEST_CASE("a process starts at the next attempt if the system refused it with an internal error") {
    int attempts = 0;
    CHECK(create_process([&] { return ++attempts < 3 ? refuse(ERROR_INTERNAL_ERROR) : true; }) ==
          ERROR_SUCCESS);
    CHECK(attempts == 3);
}

TEST_CASE("a process that the system refuses for good has four attempts") {
    int attempts = 0;
    CHECK(create_process([&] {
              ++attempts;
              return refuse(ERROR_INTERNAL_ERROR);
          }) == ERROR_INTERNAL_ERROR);
    CHECK(attempts == 4);
}

TEST_CASE("after any other error, a process has no second attempt") {
    int attempts = 0;
    CHECK(create_process([&] {
              ++attempts;
              return refuse(ERROR_FILE_NOT_FOUND);
          }) == ERROR_FILE_NOT_FOUND);
    CHECK(attempts == 1);
}
