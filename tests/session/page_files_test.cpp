// Tests the files of the page that shows a run.
#include "page_files.hpp"

#include "eyehand/base/invisible.hpp"

#include "catch.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

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

TEST_CASE("page: the page and the library have the same invisible characters") {
    const std::string script = page::file_text("invisible.js");
    const std::string begin = "invisibleRanges = [";
    std::size_t at = script.find(begin);
    REQUIRE(at != std::string::npos);
    const std::string table = script.substr(at, script.find("];", at) - at);
    std::vector<char32_t> ends;
    for (at = table.find("0x"); at != std::string::npos; at = table.find("0x", at + 2))
        ends.push_back(static_cast<char32_t>(std::strtoul(table.c_str() + at + 2, nullptr, 16)));
    std::vector<base::ScalarRange> ranges;
    for (std::size_t i = 0; i + 1 < ends.size(); i += 2) ranges.push_back({ends[i], ends[i + 1]});
    const auto expected = base::invisible_ranges();
    CHECK(ranges == std::vector<base::ScalarRange>(expected.begin(), expected.end()));
}

TEST_CASE("page: an unknown file throws std::logic_error") {
    CHECK(page::find_file("../index.html") == nullptr);
    CHECK_THROWS_AS(page::file_text("telepathy.js"), std::logic_error);
}
