// The test runner's main function, compiled once.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_session.hpp>
int main(int argc, char* argv[]) { return Catch::Session().run(argc, argv); }
#else
// With UNICODE defined Catch2 v2 would define wmain, which MinGW's start-up code does not call.
#define DO_NOT_USE_WMAIN
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
