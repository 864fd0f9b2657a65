// Tests the files of the page that shows a run.
#include "page_files.hpp"

#include "catch.hpp"

#include <stdexcept>
#include <string>

using namespace eyehand;

TEST_CASE("page: a bundle has each module once, after its imports") {
    const std::string script = page::bundle("report.js");
    const std::size_t element = script.find("modules['element.js'] = ");
    const std::size_t turns = script.find("modules['turns.js'] = ");
    const std::size_t report = script.find("modules['report.js'] = ");
    REQUIRE(element != std::string::npos);
    REQUIRE(turns != std::string::npos);
    REQUIRE(report != std::string::npos);
    CHECK(element < turns);
    CHECK(turns < report);
    CHECK(script.find("modules['element.js'] = ", element + 1) == std::string::npos);
    CHECK(script.find("\nimport ") == std::string::npos);
    CHECK(script.find("\nexport ") == std::string::npos);
}

TEST_CASE("page: a report does not contain the modules of a live run") {
    const std::string script = page::bundle("report.js");
    for (const char* module : {"connection.js", "panel.js", "approval_cards.js"})
        CHECK(script.find(std::string("modules['") + module) == std::string::npos);
    for (const char* call : {"fetch(", "EventSource"})
        CHECK(script.find(call) == std::string::npos);
}

TEST_CASE("page: an unknown file throws std::logic_error") {
    CHECK(page::find_file("../index.html") == nullptr);
    CHECK_THROWS_AS(page::file_text("telepathy.js"), std::logic_error);
}
