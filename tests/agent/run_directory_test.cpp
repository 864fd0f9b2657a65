#include "eyehand/agent/error.hpp"
#include "eyehand/agent/run.hpp"
#include "json/json.hpp"

#include "eyehand/agent/http_log.hpp"
#include "record/run_writer.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

#include <set>
#include <thread>

using namespace eyehand;

namespace {

using namespace agent;
namespace fs = std::filesystem;

} // namespace

TEST_CASE("run directories are numbered from one and never used twice") {
    const test::TempFolder folder;
    CHECK(RunDirectory::create(folder / "runs").path().filename() == "run_0001");
    CHECK(RunDirectory::create(folder / "runs").path().filename() == "run_0002");
    fs::create_directories(folder / "runs/run_0041");
    fs::create_directories(folder / "runs/run_x");
    fs::create_directories(folder / "runs/run_77x");
    CHECK(RunDirectory::create(folder / "runs").path().filename() == "run_0042");
}

TEST_CASE("folders with numbers that no run has do not affect the numbers of runs") {
    const test::TempFolder folder;
    for (const char* name : {"run_9223372036854775807", "run_99999999999", "run_2147483647",
                             "run_1000000000", "run_-7", "run_-2147483648", "run_+9", "run_"})
        fs::create_directories(folder / name);
    CHECK(RunDirectory::create(folder.path()).path().filename() == "run_0001");
    CHECK(RunDirectory::create(folder.path()).path().filename() == "run_0002");
}

TEST_CASE("after the highest number of a run, no further run is created") {
    const test::TempFolder folder;
    fs::create_directories(folder / "run_999999998");
    CHECK(RunDirectory::create(folder.path()).path().filename() == "run_999999999");
    try {
        (void)RunDirectory::create(folder.path());
        FAIL("no exception");
    } catch (const Error& error) {
        CHECK(error.code() == errc::journal_failed);
        CHECK_THAT(error.what(),
                   ContainsSubstring("run_999999999 has the highest number of a run"));
    }
}

TEST_CASE("agents that start at the same time have their own directories") {
    const test::TempFolder folder;
    std::vector<fs::path> paths(8);
    {
        std::vector<std::jthread> threads;
        for (fs::path& path : paths) {
            threads.emplace_back([&] { path = RunDirectory::create(folder.path()).path(); });
        }
    }
    CHECK(std::set<fs::path>(paths.begin(), paths.end()).size() == paths.size());
}

TEST_CASE("the error for an unusable folder names it") {
    const test::TempFolder folder;
    std::ofstream(folder / "file") << "x";
    try {
        (void)RunDirectory::create(folder / "file/runs");
        FAIL("no exception");
    } catch (const Error& error) {
        CHECK(error.code() == errc::journal_failed);
        CHECK_THAT(error.what(), ContainsSubstring("file/runs cannot be created"));
    }
}

TEST_CASE("screenshots are stored under prefix and number, and read back") {
    const test::TempFolder folder;
    RunDirectory run = RunDirectory::create(folder.path());
    RunWriter writer(run, {"screen_", 4});
    const std::vector<std::uint8_t> bytes{0x89, 'P', 'N', 'G', 0, '\r', '\n'};
    CHECK(writer.save_screenshot(1, bytes) == "screenshots/screen_0005.png");
    CHECK(writer.read("screenshots/screen_0005.png") == bytes);
    CHECK(RunWriter(run).save_screenshot(12345, bytes) == "screenshots/turn_12345.png");
}

TEST_CASE("the error for a screenshot that cannot be written has its name and a remedy") {
    const test::TempFolder folder;
    RunDirectory run = RunDirectory::create(folder.path());
    fs::remove_all(run.path() / "screenshots");
    try {
        (void)RunWriter(run).save_screenshot(1, std::vector<std::uint8_t>{1});
        FAIL("no exception");
    } catch (const Error& error) {
        CHECK(error.code() == errc::journal_failed);
        CHECK_THAT(error.what(),
                   ContainsSubstring("turn_0001.png cannot be written: is the folder"));
    }
}

TEST_CASE("run.json has settings with their sources, and finally the outcome") {
    const test::TempFolder folder;
    RunDirectory run = RunDirectory::create(folder.path());
    const RunSummary summary{.task = "do it",
                             .profile = load_profile("observer"),
                             .tools = {{"click", "Clicks.", R"({"type":"object"})"}},
                             .settings = {{"model", "m", "--model"}}};
    write_summary(run, summary);
    auto json = parse_json(test::read_file(run.path() / "run.json"));
    REQUIRE(json);
    CHECK(json->at("format").as_int64() == 1);
    CHECK(json->at("task").as_string() == "do it");
    CHECK(json->at("settings").at("model").at("source").as_string() == "--model");
    CHECK(json->at("profile").at("name").as_string() == "observer");
    CHECK(json->at("tools").at(0).at("parameters").at("type").as_string() == "object");
    CHECK(json->at("outcome").is_null());

    RunFinished finished;
    finished.outcome = Outcome::steps_used_up;
    write_summary(run, summary, &finished);
    json = parse_json(test::read_file(run.path() / "run.json"));
    REQUIRE(json);
    CHECK(json->at("outcome").as_string() == "steps_used_up");
    CHECK_FALSE(fs::exists(run.path() / "run.json.new"));
}

TEST_CASE("the HTTP log shortens prompts and schemas, but not responses") {
    const test::TempFolder folder;
    RunDirectory run = RunDirectory::create(folder.path());
    vlm::Exchange exchange;
    exchange.method = "POST";
    exchange.url = "http://localhost:1234/v1/chat/completions";
    exchange.request_body =
        R"({"messages":[{"role":"system","content":")" + std::string(5000, 'a') +
        R"("},{"role":"user","content":[{"type":"text","text":")" + std::string(6000, 'c') +
        R"("}]}],"tools":[{"type":"function","function":{"name":"click",)"
        R"("parameters":{"much":"schema"}}}]})";
    exchange.status = 200;
    exchange.response_body = std::string(5000, 'b');
    HttpLog http_log;
    http_log.add(exchange); // kept until the run's files are known
    http_log.write_to(run);
    const std::string log = test::read_file(run.path() / "http.log");
    CHECK_THAT(log, ContainsSubstring("#1 POST http://localhost:1234/v1/chat/completions"));
    CHECK_THAT(log, ContainsSubstring("[5000 bytes in all]"));
    CHECK_THAT(log, ContainsSubstring("[6000 bytes in all]"));
    CHECK_THAT(log, ContainsSubstring(R"("tools":["click"])"));
    CHECK_THAT(log, ContainsSubstring(std::string(5000, 'b')));
    CHECK_THAT(log, !ContainsSubstring("schema"));
}

TEST_CASE("an exchange without a response is logged with the reason") {
    const test::TempFolder folder;
    RunDirectory run = RunDirectory::create(folder.path());
    vlm::Exchange exchange;
    exchange.method = "GET";
    exchange.error = "nothing listens";
    HttpLog http_log;
    http_log.add(exchange); // kept until the run's files are known
    http_log.write_to(run);
    const std::string log = test::read_file(run.path() / "http.log");
    CHECK_THAT(log, ContainsSubstring("failed: nothing listens"));
    CHECK_THAT(log, !ContainsSubstring("response:"));
}

TEST_CASE("the HTTP log of a resumed run continues the numbers") {
    MemoryStore store;
    vlm::Exchange exchange;
    exchange.method = "POST";
    exchange.url = "http://localhost:1234/v1";
    exchange.status = 200;
    exchange.response_body = "[1] #77 no entry\n[\n[2026-01-31T12:00:00Z] no number";
    for (int part = 0; part < 2; ++part) {
        HttpLog http_log;
        http_log.write_to(store);
        http_log.add(exchange);
        http_log.add(exchange);
    }
    const std::string log = store.bytes("http.log");
    CHECK_THAT(log, ContainsSubstring("] #2 POST"));
    CHECK_THAT(log, ContainsSubstring("] #3 POST"));
    CHECK_THAT(log, ContainsSubstring("] #4 POST"));
    CHECK(log.find("] #1 POST") == log.rfind("] #1 POST"));
}
