#include "eyehand/winio/backend_registry.hpp"
#include "eyehand/winio/desktop.hpp"

#include "catch.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include <functional>
#include <stdexcept>

using namespace eyehand::winio;
using testing::MemoryDesktop;

namespace {

BackendRegistry::Factory opening(Size size) {
    return [size](const DesktopOptions&) { return std::make_unique<MemoryDesktop>(size); };
}

BackendRegistry::Factory failing(errc code, const std::string& text) {
    return [=](const DesktopOptions&) -> std::unique_ptr<Desktop> { throw Error(code, text); };
}

int width_of(Desktop& desktop) { return desktop.displays().front().bounds.width; }

Error error_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error;
    }
    throw std::logic_error("no error");
}

} // namespace

TEST_CASE("a desktop can be opened by the name of its back-end") {
    BackendRegistry registry;
    registry.add("small", opening({10, 10}));
    registry.add("large", opening({1000, 10}));
    CHECK(registry.names() == std::vector<std::string>{"small", "large"});
    CHECK(width_of(*open_desktop({.backend = "large"}, registry)) == 1000);
    CHECK(width_of(*open_desktop({.backend = "small"}, registry)) == 10);
}

TEST_CASE("without a name the first back-end that can be opened is used") {
    BackendRegistry registry;
    registry.add("broken", failing(errc::no_display, "no server"));
    registry.add("second", opening({20, 10}));
    registry.add("third", opening({30, 10}));
    CHECK(width_of(*open_desktop({}, registry)) == 20);
}

TEST_CASE("a factory gets the options") {
    std::string display;
    BackendRegistry registry;
    registry.add("own", [&](const DesktopOptions& options) {
        display = options.display;
        return std::make_unique<MemoryDesktop>();
    });
    (void)open_desktop({.display = ":7"}, registry);
    CHECK(display == ":7");
}

TEST_CASE("an unknown back-end is an error that lists the known ones") {
    BackendRegistry registry;
    registry.add("one", opening({1, 1}));
    registry.add("two", opening({1, 1}));
    const Error error = error_of([&] { (void)open_desktop({.backend = "three"}, registry); });
    CHECK(error.code() == errc::not_supported);
    CHECK_THAT(error.what(), ContainsSubstring("\"three\""));
    CHECK_THAT(error.what(), ContainsSubstring("\"one\", \"two\""));
}

TEST_CASE(
    "a back-end requested by name fails with its own error, although another one can be opened") {
    BackendRegistry registry;
    registry.add("broken", failing(errc::no_display, "no server"));
    registry.add("other", opening({1, 1}));
    const Error error = error_of([&] { (void)open_desktop({.backend = "broken"}, registry); });
    CHECK(error.code() == errc::no_display);
    CHECK(error.what() == std::string("no server"));
}

TEST_CASE(
    "if no back-end can be opened, a single error is unchanged and several errors are listed") {
    BackendRegistry registry;
    registry.add("one", failing(errc::no_display, "no server"));
    CHECK(error_of([&] { (void)open_desktop({}, registry); }).what() == std::string("no server"));
    registry.add("two", failing(errc::not_supported, "no input"));
    const Error error = error_of([&] { (void)open_desktop({}, registry); });
    CHECK(error.code() == errc::no_display);
    CHECK(error.what() ==
          std::string("no desktop back-end can be opened: \"one\": no server; \"two\": no input"));
}

TEST_CASE("the error without a back-end explains how to get one") {
    for (const char* name : {"", "x11"}) {
        const Error error =
            error_of([&] { (void)open_desktop({.backend = name}, BackendRegistry()); });
        CHECK(error.code() == errc::not_supported);
        CHECK_THAT(error.what(), ContainsSubstring("BackendRegistry::add"));
    }
}

TEST_CASE("a factory that returns nothing is an error") {
    BackendRegistry registry;
    registry.add("empty", [](const DesktopOptions&) { return std::unique_ptr<Desktop>(); });
    CHECK(error_of([&] { (void)open_desktop({}, registry); }).code() == errc::not_supported);
}

TEST_CASE("a back-end needs a factory and a unique name") {
    BackendRegistry registry;
    registry.add("taken", opening({1, 1}));
    CHECK_THROWS_AS(registry.add("taken", opening({2, 2})), std::invalid_argument);
    CHECK_THROWS_AS(registry.add("", opening({2, 2})), std::invalid_argument);
    CHECK_THROWS_AS(registry.add("empty", {}), std::invalid_argument);
    CHECK(registry.names() == std::vector<std::string>{"taken"});
}

TEST_CASE("a registry is a value: adding a back-end to a copy does not change the original") {
    const BackendRegistry built_in = BackendRegistry::built_in();
    BackendRegistry own = built_in;
    own.add("own", opening({1, 1}));
    CHECK(own.names().size() == built_in.names().size() + 1);
    CHECK(own.find("own") != nullptr);
    CHECK(built_in.find("own") == nullptr);
    CHECK(BackendRegistry::built_in().names() == built_in.names());
}
