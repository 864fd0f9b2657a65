#include "eyehand/base/error_category.hpp"

#include "catch.hpp"

using namespace eyehand::base;

namespace {

enum class Code { first = 1, second };
constexpr ErrorEntry entries[] = {{Code::first, "first", "the first went wrong"},
                                  {Code::second, "second", "the second went wrong"}};

} // namespace

TEST_CASE("a category has the names and messages of its table") {
    const ErrorCategory category("sample", entries);
    CHECK(category.name() == std::string("sample"));
    CHECK(category.message(1) == "the first went wrong");
    CHECK(category.message(2) == "the second went wrong");
    CHECK(category.name_of(2) == "second");
}

TEST_CASE("a category reports values that are not in its table as unknown") {
    const ErrorCategory category("sample", entries);
    for (const int value : {-1, 0, 3}) {
        CHECK(category.message(value) == "unknown sample error");
        CHECK(category.name_of(value) == "unknown");
    }
}

TEST_CASE("a table counts from one without gaps") {
    STATIC_REQUIRE(is_numbered(entries));
    STATIC_REQUIRE(is_numbered({}));
    constexpr ErrorEntry from_two[] = {{Code::second, "second", ""}};
    STATIC_REQUIRE_FALSE(is_numbered(from_two));
}
