// Tests reports of runs on a desktop in memory; tests/panel tests them in Chromium.
#include "eyehand/session/report.hpp"

#include "eyehand/agent/error.hpp"
#include "eyehand/vlm/digest.hpp"
#include "eyehand/winio/png.hpp"
#include "report/screenshots.hpp"
#include "report_run/runs.hpp"
#include "json/json.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#ifndef _WIN32
#include <sys/stat.h>
#endif

using namespace eyehand;

namespace {

using namespace agent;
using namespace session;

/// The content of a script element.
std::string block(const std::string& html, const std::string& id) {
    const std::string open = "<script type=\"application/json\" id=\"" + id + "\">";
    const std::size_t at = html.find(open);
    REQUIRE(at != std::string::npos);
    const std::size_t from = at + open.size();
    return html.substr(from, html.find("</script>", from) - from);
}

json::object data(const std::string& html) {
    std::string reason;
    const auto value = parse_json(block(html, "run"), &reason);
    INFO(reason);
    REQUIRE(value);
    return value->as_object();
}

json::array screenshots_in(const std::string& html) {
    const auto value = parse_json(block(html, "pictures"));
    REQUIRE(value);
    return value->as_array();
}

/// The state of the whole run.
const json::object& state(const json::object& run) { return run.at("state").as_object(); }

/// The screenshot that a turn refers to as "seen" or "after".
const json::object& screenshot(const json::object& run, const json::object& turn,
                               const char* name) {
    const auto number = std::to_string(turn.at(name).to_number<int>());
    return run.at("screenshots").at(number).as_object();
}

const json::array& list(const json::object& from, const char* name) {
    return from.at(name).as_array();
}

const json::object& turn(const json::object& run, std::size_t index) {
    return list(run, "turns").at(index).as_object();
}

/// The items of a turn with this kind.
std::vector<json::object> items(const json::object& turn, std::string_view kind) {
    std::vector<json::object> all;
    for (const json::value& item : list(turn, "items"))
        if (item.at("kind").as_string() == kind) all.push_back(item.as_object());
    return all;
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    for (const auto& it : std::filesystem::directory_iterator(folder))
        names.push_back(it.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

/// The files with the texts of a run's requests.
std::vector<std::filesystem::path> texts_in(const std::filesystem::path& run) {
    std::vector<std::filesystem::path> texts;
    for (const auto& it : std::filesystem::recursive_directory_iterator(run / "prompts"))
        if (it.is_regular_file()) texts.push_back(it.path());
    return texts;
}

void write(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

/// A run of three turns: a click, a screenshot, and the end.
std::filesystem::path short_run(const std::filesystem::path& folder, int max_turns = 10,
                                const std::string& task = "click OK") {
    winio::testing::MemoryDesktop desktop{winio::Size{1001, 1001}};
    desktop.on_input = [&](const winio::InputEvent&) {
        desktop.screen().fill({64, 10, 64, 50}, {0, 0, 255, 255});
    };
    vlm::testing::ScriptedModel model;
    model.call("click_element", R"({"label":"OK","box":[300,400]})", "I click OK.")
        .call("observe_screen", "{}")
        .say("It is done.");
    Profile profile = load_profile("observer");
    profile.max_turns = max_turns;
    RunDirectory directory = RunDirectory::create(folder);
    RunControl control;
    Agent agent(desktop, model, profile, built_in_tools(), test::at_once());
    agent.run(task, directory, control);
    return directory.path();
}

} // namespace

TEST_CASE("report: each turn has its screenshot, reply and calls") {
    const test::TempFolder folder;
    const json::object run = data(report_html(short_run(folder.path())));
    CHECK(run.at("run") == "run_0001");
    CHECK(state(run).at("task") == "click OK");
    CHECK(state(run).at("profile") == "observer");
    CHECK(state(run).at("outcome").at("outcome") == "completed");
    CHECK(state(run).at("outcome").at("why") == "It is done.");
    REQUIRE(list(run, "turns").size() == 3);
    const json::object& first = turn(run, 0);
    CHECK(first.at("turn") == 1);
    CHECK(first.at("seen_by_model") == true);
    CHECK(screenshot(run, first, "seen").at("picture") == 0);
    CHECK(screenshot(run, turn(run, 2), "seen").at("picture") == 1);
    CHECK(items(first, "reply").at(0).at("text") == "I click OK.");
    const auto calls = items(first, "call");
    REQUIRE(calls.size() == 1);
    CHECK(calls[0].at("tool") == "click_element");
    CHECK(calls[0].at("arguments") == R"({"label":"OK","box":[300,400]})");
    CHECK(calls[0].at("ok") == true);
    CHECK(to_text(calls[0].at("points")) == "[[300,400]]");
    CHECK(screenshot(run, first, "seen").contains("settle_ms"));
}

TEST_CASE("report: the title of the page names the run, and the program at its end") {
    const test::TempFolder folder;
    // By this end, a run recognizes the page and does not show it to the model.
    CHECK_THAT(report_html(short_run(folder.path())),
               ContainsSubstring("<title>run_0001: ") && ContainsSubstring(" – Eyehand</title>"));
}

TEST_CASE("report: a screenshot has its changed regions and its area") {
    const test::TempFolder folder;
    const json::object run = data(report_html(short_run(folder.path())));
    const json::object& seen = screenshot(run, turn(run, 2), "seen");
    CHECK(to_text(seen.at("area")) == "[0,0,1001,1001]");
    // 64,10 64x50, in pieces.
    int left = 1001;
    int bottom = 0;
    for (const json::value& rect : list(seen, "changed")) {
        left = std::min(left, rect.at(0).to_number<int>());
        bottom = std::max(bottom, rect.at(1).to_number<int>() + rect.at(3).to_number<int>());
    }
    CHECK(left == 64);
    CHECK(bottom == 60);
}

TEST_CASE("report: foreign text cannot leave its place in the page") {
    const test::TempFolder folder;
    const std::string html = report_html(test::hostile_run(folder.path()));
    // The page's own three blocks and its script.
    CHECK(count(html, "<script") == 4);
    CHECK(count(html, "</script") == 4);
    CHECK(count(html, "<img") == 0);
    CHECK(count(html, "<!--") == 0);
    const json::object run = data(html);
    CHECK(state(run).at("task").as_string() == "Write a note. " + test::hostile);
    CHECK(items(turn(run, 0), "reply").at(0).at("text").as_string() ==
          "I see a window. " + test::hostile);
    CHECK_THAT(to_text(items(turn(run, 3), "call").at(0).at("result")),
               ContainsSubstring("window.hacked"));
}

TEST_CASE("report: the texts of requests are in the page, each once") {
    const test::TempFolder folder;
    const std::filesystem::path directory = test::hostile_run(folder.path());
    const json::object run = data(report_html(directory));
    const json::object& texts = run.at("texts").as_object();
    const std::size_t files = texts_in(directory).size();
    CHECK(texts.size() == files);
    const auto requests = items(turn(run, 0), "request");
    REQUIRE(requests.size() == 1);
    const json::array& added = list(requests[0], "added");
    REQUIRE(added.size() == 2);
    const json::string& task = added.at(1).at("parts").at(0).at("text").as_string();
    CHECK_THAT(std::string(texts.at(task).as_string()), ContainsSubstring(test::hostile));
    CHECK(list(items(turn(run, 1), "request").at(0), "added").size() < 5);
    CHECK(list(run, "remarks").empty());
}

TEST_CASE("report: missing texts of requests are remarked, and links are not followed") {
    const test::TempFolder folder;
    const std::filesystem::path directory = short_run(folder.path());
    const auto texts = texts_in(directory);
    REQUIRE(texts.size() > 2);
    std::filesystem::remove(texts[0]);
    write(texts[1], "another text");
    const json::object run = data(report_html(directory));
    CHECK(run.at("texts").as_object().size() == texts.size() - 2);
    CHECK(list(run, "remarks").at(0).as_string() ==
          "Texts of requests that are missing or were changed: 2.");
    CHECK_THAT(to_text(run.at("texts")), !ContainsSubstring("another text"));
}

TEST_CASE("report: long texts of requests are shortened, and omitted before the turns") {
    const test::TempFolder folder;
    const std::string task(60'000, 'x');
    const std::filesystem::path directory = short_run(folder.path(), 10, task);
    const auto with_limit = [&](std::size_t max_bytes) {
        return data(report_html(directory, {.max_bytes = 2 * max_bytes}));
    };
    const json::object whole = data(report_html(directory));
    const std::size_t text_bytes = to_text(whole.at("texts")).size();
    REQUIRE(text_bytes > task.size());
    CHECK_THAT(to_text(with_limit(60'000).at("texts")),
               ContainsSubstring("the full text is in the folder prompts]"));
    // Space for everything but the texts: also shortened, they need more than 1,000 bytes.
    const std::filesystem::path brief = short_run(folder.path());
    const json::object run = data(report_html(brief));
    const std::size_t other_bytes = to_text(run).size() - to_text(run.at("texts")).size();
    const json::object small = data(report_html(brief, {.max_bytes = 2 * (other_bytes + 1'000)}));
    CHECK(small.at("texts").as_object().empty());
    CHECK(list(small, "turns").size() == 3);
    CHECK_THAT(to_text(small.at("remarks")),
               ContainsSubstring("The texts of requests do not fit into the report."));
}

TEST_CASE("report: the policy allows only the page's own script and style") {
    const test::TempFolder folder;
    const std::string html = report_html(short_run(folder.path()));
    CHECK_THAT(html, ContainsSubstring("default-src 'none'; img-src data:; style-src 'sha256-"));
    CHECK_THAT(html, !ContainsSubstring("unsafe"));
    CHECK_THAT(html, !ContainsSubstring("{{"));
    for (const char* parser : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write",
                               "eval(", "http://localhost"})
        CHECK_THAT(html, !ContainsSubstring(parser));
}

TEST_CASE("report: a visual loop's screenshots are stored without annotation") {
    const test::TempFolder folder;
    const std::string html = report_html(test::story_run(folder.path()));
    const json::object run = data(html);
    for (const json::value& screenshot : screenshots_in(html))
        CHECK_THAT(std::string(screenshot.at("file").as_string()), ContainsSubstring("_raw.png"));
    const auto last = list(run, "turns").back().as_object();
    const json::object& seen = screenshot(run, last, "seen");
    REQUIRE(seen.at("annotation").is_object());
    CHECK(seen.at("annotation").as_object().contains("trail"));
}

TEST_CASE("report: equal screenshots are stored once") {
    const test::TempFolder folder;
    winio::testing::MemoryDesktop desktop{winio::Size{200, 100}};
    vlm::testing::ScriptedModel model;
    for (int i = 0; i < 4; ++i) model.call("observe_screen", "{}");
    model.say("done");
    RunDirectory directory = RunDirectory::create(folder.path());
    RunControl control;
    Agent agent(desktop, model, load_profile("observer"), built_in_tools(), test::at_once());
    agent.run("look", directory, control);
    const std::string html = report_html(directory.path());
    const json::array screenshots = screenshots_in(html);
    CHECK(count(html, "data:image/png;base64,") == 1);
    CHECK(screenshots.size() == 1);
}

TEST_CASE("report: the calibration of the model is in the page, beside what the run used") {
    const test::TempFolder folder;
    const std::filesystem::path path = test::hostile_run(folder.path());
    const json::object run = data(report_html(path));
    const json::object& calibration = run.at("config").at("calibration").as_object();
    CHECK(calibration.at("text") == "percent: 0 to 100");
    CHECK(calibration.at("residual") == 7.125);
    CHECK(list(calibration, "rates").size() == 3);
    CHECK(calibration.at("small").at("hits") == 6);
    CHECK(to_text(calibration.at("used")) == R"({"convention":"norm1000","correction":null})");
    REQUIRE(list(calibration, "warnings").size() == 1);
    CHECK_THAT(std::string(list(calibration, "warnings")[0].as_string()),
               ContainsSubstring("60 % of clicks on small targets"));
    CHECK(list(calibration, "alternatives").empty());
    // Most runs have none.
    CHECK(data(report_html(short_run(folder.path()))).at("config").at("calibration").is_null());
}

TEST_CASE("report: a damaged or foreign calibration is shown as far as it can be read") {
    const test::TempFolder folder;
    const std::filesystem::path path = short_run(folder.path());
    const auto calibration = [&](const std::string& text) {
        write(path / "calibration.json", text);
        return data(report_html(path)).at("config").at("calibration");
    };
    CHECK(calibration("{").is_null());
    CHECK(calibration("[1]").is_null());
    CHECK(calibration(std::string(2'000'000, ' ') + "{}").is_null());
    const json::value odd = calibration(
        R"({"positions":[],"hit_rates":[3,{"size":"8","hits":2}],"warnings":"no","time":"now"})");
    CHECK(odd.at("grounds") == false);
    CHECK(odd.at("text").is_null());
    CHECK(odd.at("time").is_null());
    CHECK(odd.at("warnings").as_array().empty());
    REQUIRE(odd.at("rates").as_array().size() == 1);
    CHECK(to_text(odd.at("rates").at(0)) ==
          R"({"size":null,"hits":2,"total":null,"low":null,"high":null})");
    std::string texts;
    for (int i = 0; i < 500; ++i) texts += "\"" + std::string(3'000, 'w') + "\",";
    const json::value many =
        calibration(R"({"warnings":[)" + texts.substr(0, 900'000) + R"(",""]})");
    CHECK(many.at("warnings").as_array().size() == 100);
    CHECK(many.at("warnings").at(0).as_string().size() < 3'000);
}

TEST_CASE("report: a truncated journal is shown up to its end") {
    const test::TempFolder folder;
    const std::filesystem::path path = short_run(folder.path());
    const std::string journal = test::read_file(path / "events.jsonl");
    std::size_t turns_before = 0;
    for (std::size_t size = 0; size <= journal.size(); size += 97) {
        write(path / "events.jsonl", journal.substr(0, size));
        const json::object run = data(report_html(path));
        const std::size_t turns = list(run, "turns").size();
        CHECK(turns >= turns_before);
        turns_before = std::max(turns_before, turns);
        const bool torn = size > 0 && journal[size - 1] != '\n';
        INFO(size << " bytes");
        CHECK(list(run, "remarks").size() == (torn ? 1 : 0));
    }
    CHECK(turns_before == 3);
    std::filesystem::remove(path / "events.jsonl");
    CHECK(list(data(report_html(path)), "remarks").size() == 1);
}

TEST_CASE("report: a run that was killed during a call shows the call without a result") {
    const test::TempFolder folder;
    const std::filesystem::path path = short_run(folder.path());
    std::string journal;
    for (const std::string& line : test::lines_of(path / "events.jsonl")) {
        journal += line + "\n";
        if (line.find(R"("type":"invoke")") != std::string::npos) break;
    }
    write(path / "events.jsonl", journal);
    const json::object run = data(report_html(path));
    CHECK(state(run).at("outcome").is_null());
    CHECK(items(turn(run, 0), "call").at(0).at("ok").is_null());
}

TEST_CASE("report: damaged entries and those of later versions are omitted and counted") {
    const test::TempFolder folder;
    const std::filesystem::path path = short_run(folder.path());
    std::string journal = test::read_file(path / "events.jsonl");
    const std::size_t second = journal.find('\n') + 1;
    journal.insert(second, "{\"seq\":2,\"type\":\"dreamt\",\"turn\":1}\nnot JSON\n[1]\n"
                           "{\"type\":\"observed\",\"file\":7,\"area\":[0,0,0],\"changed\":5}\n"
                           "{\"type\":7,\"turn\":\"x\"}\n\xff\n");
    write(path / "events.jsonl", journal);
    const json::object run = data(report_html(path));
    CHECK(list(run, "turns").size() == 3);
    const std::string remarks = to_text(run.at("remarks"));
    CHECK_THAT(remarks, ContainsSubstring("they are damaged: 5."));
    CHECK_THAT(remarks, ContainsSubstring("not know their type: 1."));
}

TEST_CASE("report: a missing, damaged or foreign screenshot is reported") {
    const test::TempFolder folder;
    const std::filesystem::path path = short_run(folder.path());
    const auto problem = [&] {
        const json::array screenshots = screenshots_in(report_html(path));
        const json::object& first = screenshots.at(0).as_object();
        CHECK(list(first, "layers").empty());
        return std::string(first.at("problem").as_string());
    };
    const std::filesystem::path screenshot = path / "screenshots/turn_0001.png";
    write(screenshot, "no picture");
    CHECK_THAT(problem(), ContainsSubstring("is not PNG, JPEG or WebP"));
    std::filesystem::remove(screenshot);
    CHECK_THAT(problem(), ContainsSubstring("missing or cannot be read"));
    // A manipulated run directory must not put other files into the report.
    const auto png = winio::encode_png(winio::Image({2, 2}).view());
    write(folder / "secret.png", {png.begin(), png.end()});
    std::string journal = test::read_file(path / "events.jsonl");
    const std::string name = "screenshots/turn_0001.png";
    journal.replace(journal.find(name), name.size(), "../secret.png");
    write(path / "events.jsonl", journal);
    CHECK_THAT(problem(), ContainsSubstring("missing or cannot be read"));
}

#ifndef _WIN32
TEST_CASE("report: links cannot lead out of the run directory") {
    const test::TempFolder folder;
    const std::filesystem::path path = short_run(folder.path());
    const std::filesystem::path screenshot = path / "screenshots/turn_0001.png";
    std::filesystem::rename(screenshot, folder / "secret.png");
    const auto first = [&] { return screenshots_in(report_html(path)).at(0).as_object(); };
    SECTION("of a file") { std::filesystem::create_symlink(folder / "secret.png", screenshot); }
    SECTION("of a folder") {
        std::filesystem::rename(path / "screenshots", folder / "elsewhere");
        std::filesystem::rename(folder / "secret.png", folder / "elsewhere/turn_0001.png");
        std::filesystem::create_directory_symlink(folder / "elsewhere", path / "screenshots");
    }
    CHECK(list(first(), "layers").empty());
    CHECK_THAT(std::string(first().at("problem").as_string()),
               ContainsSubstring("missing or cannot be read"));
}

TEST_CASE("report: a pipe in a run directory does not block") {
    const test::TempFolder folder;
    const std::filesystem::path path = short_run(folder.path());
    const auto make_pipe = [&](const char* name) {
        std::filesystem::remove(path / name);
        REQUIRE(mkfifo((path / name).c_str(), 0600) == 0);
    };
    make_pipe("screenshots/turn_0001.png");
    CHECK(screenshots_in(report_html(path)).at(0).as_object().contains("problem"));
    make_pipe("events.jsonl");
    CHECK_THAT(to_text(data(report_html(path)).at("remarks")),
               ContainsSubstring("The journal cannot be read"));
    make_pipe("run.json");
    CHECK_THROWS_AS(report_html(path), Error);
}
#endif

TEST_CASE("report: an entry that is too long is omitted and counted") {
    const test::TempFolder folder;
    const std::filesystem::path path = short_run(folder.path());
    std::string journal = test::read_file(path / "events.jsonl");
    // NOLINTNEXTLINE(bugprone-string-constructor): the entry must be long
    const std::string text(9'000'000, 'x');
    journal.insert(journal.find('\n') + 1, R"({"type":"noted","turn":1,"text":")" + text + "\"}\n");
    write(path / "events.jsonl", journal);
    const json::object run = data(report_html(path));
    CHECK(list(run, "turns").size() == 3);
    CHECK_THAT(to_text(run.at("remarks")), ContainsSubstring("they are too long: 1."));
}

TEST_CASE("report: different screenshots with the same hash in the journal stay separate") {
    const test::TempFolder folder;
    const std::filesystem::path path = short_run(folder.path());
    std::string journal = test::read_file(path / "events.jsonl");
    const std::string member = R"("sha256":")";
    for (std::size_t at = journal.find(member); at != std::string::npos;
         at = journal.find(member, at + 1))
        journal.replace(at + member.size(), 64, std::string(64, '0'));
    write(path / "events.jsonl", journal);
    CHECK(screenshots_in(report_html(path)).size() == 2);
}

TEST_CASE("report: the parts of a very long run are limited, and omissions are reported") {
    const test::TempFolder folder;
    const std::filesystem::path path = short_run(folder.path());
    std::string journal;
    const auto add = [&](const std::string& entry) { journal += entry + "\n"; };
    const auto add_screenshot = [&](int turn, std::size_t changes) {
        std::string changed = "[1,1,1,1]";
        for (std::size_t i = 1; i < changes; ++i) changed += ",[1,1,1,1]";
        add(fmt::format(R"({{"type":"observe","turn":{},"screenshot":{}}})", turn - 1, turn));
        add(fmt::format(
            R"({{"type":"observed","turn":{},"file":"gone/{}.png","sha256":"","width":9,"height":9,)"
            R"("area":[0,0,9,9],"changed":[{}],"settle_ms":0,"capture_ms":0,"scale_ms":0,"encode_ms":0}})",
            turn - 1, turn, changed));
        add(fmt::format(R"({{"type":"ask","turn":{}}})", turn));
    };
    const auto html = [&](const ReportOptions& options = {}) {
        write(path / "events.jsonl", journal);
        return report_html(path, options);
    };
    const auto remarks = [](const std::string& page) { return to_text(data(page).at("remarks")); };
    SECTION("turns") {
        for (int turn = 1; turn <= 10'002; ++turn)
            add(fmt::format(R"({{"type":"stopped","turn":{},"why":"x"}})", turn));
        add(R"({"type":"run_finished","turn":10002,"outcome":"cancelled","why":"x","turns":10002,)"
            R"("prompt_tokens":null,"cached_tokens":null,"completion_tokens":null,"elapsed_ms":1})");
        const std::string page = html();
        CHECK(list(data(page), "turns").size() == 10'000);
        CHECK(turn(data(page), 0).at("turn") == 1);
        CHECK(state(data(page)).at("outcome").at("outcome") == "cancelled");
        CHECK_THAT(remarks(page), ContainsSubstring("too long for a report: 2."));
    }
    SECTION("turns in the wrong order") {
        for (int turn = 10'100; turn > 0; --turn)
            add(fmt::format(R"({{"type":"stopped","turn":{},"why":"x"}})", turn));
        const std::string page = html();
        CHECK(list(data(page), "turns").size() == 10'001);
        CHECK_THAT(remarks(page), ContainsSubstring("too long for a report: 99."));
    }
    SECTION("a request with the highest turn number") {
        for (int turn = 1; turn <= 10'000; ++turn)
            add(fmt::format(R"({{"type":"stopped","turn":{},"why":"x"}})", turn));
        add(R"({"type":"ask","turn":2147483647})");
        CHECK_THAT(remarks(html()), ContainsSubstring("too long for a report: 1."));
    }
    SECTION("items of a turn") {
        for (int i = 0; i < 1'005; ++i)
            add(R"({"type":"invoke","turn":1,"call_id":"c","tool":"t","arguments":"{}"})");
        add(R"({"type":"invoked","turn":1,"call_id":"c","tool":"t","ok":true,"result":"","act_ms":0})");
        const std::string page = html();
        CHECK(items(turn(data(page), 0), "call").size() == 1'000);
        CHECK(items(turn(data(page), 0), "call").back().at("ok") == true);
        CHECK_THAT(remarks(page), ContainsSubstring("too long for a report: 5."));
    }
    SECTION("entries") {
        const std::string text(1'000'000, 'x');
        for (int turn = 1; turn <= 70; ++turn)
            add(fmt::format(R"({{"type":"noted","turn":{},"kind":"x","text":"{}"}})", turn, text));
        const std::string page = html();
        CHECK(page.size() <= ReportOptions{}.max_bytes);
        CHECK_THAT(remarks(page), ContainsSubstring("too long for a report: 3."));
    }
    SECTION("pictures") {
        for (int turn = 1; turn <= 2'003; ++turn) add_screenshot(turn, 1);
        const std::string page = html();
        const json::array screenshots = screenshots_in(page);
        REQUIRE(screenshots.size() == 2'001);
        CHECK_THAT(std::string(screenshots.back().at("problem").as_string()),
                   ContainsSubstring("only the first 2000 screenshots"));
        const json::object run = data(page);
        const json::object& last = list(run, "turns").back().as_object();
        CHECK(screenshot(run, last, "seen").at("picture") == 2'000);
        CHECK_THAT(remarks(page), ContainsSubstring("after the first 2000: 3."));
    }
    SECTION("changed regions of screenshots") {
        for (int turn = 1; turn <= 200; ++turn) add_screenshot(turn, 2'500);
        const std::string page = html();
        CHECK(page.size() <= ReportOptions{}.max_bytes_per_turn * 200);
        const json::object run = data(page);
        CHECK(list(screenshot(run, turn(run, 0), "seen"), "changed").size() == 2'000);
        CHECK_THAT(remarks(page), ContainsSubstring("Screenshots without annotation"));
    }
    SECTION("many small items") {
        for (int turn = 1; turn <= 40; ++turn) add_screenshot(turn, 2'000);
        const ReportOptions options{.max_bytes_per_turn = 4'000};
        const std::string page = html(options);
        CHECK(page.size() <= options.max_bytes_per_turn * 50);
        CHECK_THAT(remarks(page), ContainsSubstring("Only 2 of 40 turns fit"));
        // The second turn has an "after".
        CHECK(data(page).at("screenshots").as_object().size() == 3);
    }
}

TEST_CASE("report: images that were not kept in memory are read again if they fit") {
    const test::TempFolder folder;
    std::vector<ScreenshotFile> screenshots;
    const auto save = [&](const std::string& name, winio::Size size) {
        winio::Image image(size);
        test::Photo(size).show(image, {0, 0});
        const auto png = winio::encode_png(image.view());
        write(folder / name, {png.begin(), png.end()});
        screenshots.push_back({name});
        return png.size();
    };
    const std::size_t large = save("large.png", {600, 400});
    for (int i = 0; i < 4; ++i)
        REQUIRE(save(fmt::format("small{}.png", i), {230 + i, 160}) * 100 < large * 20);
    const std::size_t budget = large * 14 / 10; // in base64: less than all of them
    const ScreenshotSet set = fit_screenshots(folder.path(), screenshots, budget);
    std::size_t bytes = 0;
    for (const std::string& image : set.images) bytes += image.size();
    CHECK(bytes <= budget);
    REQUIRE(set.screenshots.size() == 5);
    for (const ComposedScreenshot& screenshot : set.screenshots) {
        CHECK(screenshot.problem.empty());
        CHECK(screenshot.layers.size() == 1);
        CHECK(screenshot.reduced == (screenshot.size.width == 600));
    }
}

TEST_CASE("report: a resumed run is shown completely, with its final outcome") {
    const test::TempFolder folder;
    const std::filesystem::path path = short_run(folder.path());
    std::string journal;
    for (const std::string& line : test::lines_of(path / "events.jsonl")) {
        journal += line + "\n";
        if (line.find(R"("type":"invoked")") != std::string::npos) break;
    }
    write(path / "events.jsonl", journal);
    winio::testing::MemoryDesktop desktop{winio::Size{200, 100}};
    vlm::testing::ScriptedModel model;
    model.say("Done after all.");
    RunDirectory directory = RunDirectory::open(path);
    RunControl control;
    Agent agent(desktop, model, load_profile("observer"), built_in_tools(), test::at_once());
    agent.resume(directory, control, nullptr, {"the power was off"});
    const json::object run = data(report_html(path));
    CHECK(state(run).at("outcome").at("why") == "Done after all.");
    CHECK(list(run, "turns").size() == 2);
    CHECK(to_text(items(turn(run, 0), "resumed").at(0).at("remarks")) ==
          R"(["the power was off"])");
}

TEST_CASE("report: messages of the user are shown as such") {
    const test::TempFolder folder;
    winio::testing::MemoryDesktop desktop{winio::Size{200, 100}};
    vlm::testing::ScriptedModel model;
    RunControl control;
    model.answer([&](const vlm::ChatRequest&) {
        CHECK(control.send_message("And save it.") == SubmitResult::accepted);
        return vlm::ChatReply{.text = "Done."};
    });
    model.say("Saved, too.");
    RunDirectory directory = RunDirectory::create(folder.path());
    Agent agent(desktop, model, load_profile("observer"), built_in_tools(), test::at_once());
    agent.run("do it", directory, control);
    const std::string html = report_html(directory.path());
    CHECK(items(turn(data(html), 0), "message").at(0).at("text") == "And save it.");
    CHECK_THAT(html, !ContainsSubstring("does not know their type"));
}

TEST_CASE("report: a team's turns name their role, and failed requests are shown") {
    const test::TempFolder folder;
    winio::testing::MemoryDesktop desktop{winio::Size{200, 100}};
    vlm::testing::ScriptedModel model;
    model.call("spawn_operator", R"({"operator_instructions":"Click OK.","rationale":"first"})")
        .fail({vlm::errc::unreachable, "nothing listens at localhost:1234"});
    RunDirectory directory = RunDirectory::create(folder.path());
    RunControl control;
    Agent agent(desktop, model, load_profile("commander"), built_in_tools(), test::at_once());
    const RunFinished finished = agent.run("click OK", directory, control);
    CHECK(finished.outcome == Outcome::endpoint_failed);
    const json::object run = data(report_html(directory.path()));
    CHECK(state(run).at("outcome").at("outcome") == "endpoint_failed");
    const std::string lead(turn(run, 0).at("role").as_string());
    CHECK(run.at("config").at("phases").as_object().contains(lead));
    const auto failures = items(list(run, "turns").back().as_object(), "request_failed");
    REQUIRE(failures.size() == 1);
    CHECK_THAT(std::string(failures[0].at("text").as_string()), ContainsSubstring("listens"));
}

TEST_CASE("report: photographs are reduced to the size limit") {
    const test::TempFolder folder;
    // The same limit per turn as for fifty turns, which tests/panel tests: that takes longer.
    const std::filesystem::path path = test::photo_run(folder.path(), 15);
    const ReportOptions options{.max_bytes_per_turn = 15 * 300'000 / 50};
    std::uintmax_t originals = 0;
    for (const auto& it : std::filesystem::directory_iterator(path / "screenshots"))
        originals += it.file_size();
    CHECK(originals > 20'000'000);
    const std::string html = report_html(path, options);
    CHECK(html.size() < std::size_t{15} * 300'000);
    CHECK(html.size() > std::size_t{15} * 150'000); // the limit is used
    const json::array screenshots = screenshots_in(html);
    REQUIRE(screenshots.size() == 15);
    for (const json::value& screenshot : screenshots)
        CHECK_FALSE(screenshot.as_object().contains("problem"));
    CHECK(screenshots.back().at("reduced") == true);
}

TEST_CASE("report: small changes on a large screenshot cause no reduction") {
    const test::TempFolder folder;
    winio::testing::MemoryDesktop desktop{winio::Size{600, 400}};
    const test::Photo photo({600, 400});
    photo.show(desktop.screen(), {0, 0});
    vlm::testing::ScriptedModel model;
    for (int turn = 1; turn < 8; ++turn)
        model.answer([&, turn](const vlm::ChatRequest&) {
            desktop.change([&] {
                desktop.screen().fill({turn * 10, 20, 30, 5}, {0, 0, 255, 255});
            });
            vlm::ChatReply reply;
            reply.tool_calls = {{"call_" + std::to_string(turn), "observe_screen", "{}", {}}};
            return reply;
        });
    model.say("done");
    RunDirectory directory = RunDirectory::create(folder.path());
    RunControl control;
    Agent agent(desktop, model, load_profile("observer"), built_in_tools(), test::at_once());
    agent.run("look", directory, control);
    // Room for less than two of the eight.
    const auto size = std::filesystem::file_size(directory.path() / "screenshots/turn_0001.png");
    const ReportOptions options{.max_bytes_per_turn = static_cast<std::size_t>(size) * 2 / 50};
    const std::string html = report_html(directory.path(), options);
    CHECK(html.size() <= options.max_bytes_per_turn * 50);
    const json::array screenshots = screenshots_in(html);
    REQUIRE(screenshots.size() == 8);
    for (const json::value& screenshot : screenshots)
        CHECK_FALSE(screenshot.as_object().contains("reduced"));
    CHECK(list(screenshots.back().as_object(), "layers").size() > 1);
}

TEST_CASE("report: the limit holds for long texts and without space for screenshots") {
    const test::TempFolder folder;
    const std::filesystem::path path = short_run(folder.path());
    std::string journal = test::read_file(path / "events.jsonl");
    const std::string words = "I click OK.";
    journal.replace(journal.find(words), words.size(), std::string(3'000'000, 'w'));
    write(path / "events.jsonl", journal);
    const ReportOptions options{.max_bytes_per_turn = 4'000};
    const std::string html = report_html(path, options);
    CHECK(html.size() <= options.max_bytes_per_turn * 50);
    const std::string told = "3000000 bytes in total; the full text is in events.jsonl";
    CHECK(count(html, told) == 1);
}

TEST_CASE("report: writing replaces the previous report in one step") {
    const test::TempFolder folder;
    const std::filesystem::path path = short_run(folder.path());
    write(path / "report.html", "old");
    CHECK(write_report(path) == path / "report.html");
    CHECK(test::read_file(path / "report.html") == report_html(path));
    for (const std::string& name : names_in(path)) CHECK_THAT(name, !ContainsSubstring(".new"));
}

TEST_CASE("report: a failed write leaves no files") {
    const test::TempFolder folder;
    const std::filesystem::path path = short_run(folder.path());
    std::filesystem::create_directories(path / "report.html/in the way");
    const auto before = names_in(path);
    try {
        write_report(path);
        FAIL("it was written");
    } catch (const Error& error) {
        CHECK(error.code() == errc::journal_failed);
        CHECK_THAT(error.what(), ContainsSubstring("report.html cannot be written"));
    }
    CHECK(names_in(path) == before);
}

TEST_CASE("report: a folder without a run is refused") {
    const test::TempFolder folder;
    CHECK_THROWS_AS(write_report(folder.path()), Error);
    CHECK(names_in(folder.path()).empty());
}
