#include "eyehand/agent/error.hpp"
#include "eyehand/agent/journal.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/vlm/digest.hpp"
#include "json/json.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

#ifdef _WIN32
#include <windows.h>
#endif

#ifdef __linux__
#include <sys/resource.h>

#include <csignal>
#endif

using namespace eyehand;

namespace {

using namespace agent;

Fact replied_with_call() {
    vlm::ChatReply reply;
    reply.text = "I click \"OK\" \xF0\x9F\x98\x80\n";
    reply.reasoning = "why not";
    reply.tool_calls = {{"id1", "click", R"({"box":[1,2]})", R"({"extra":1})"}};
    reply.finish = vlm::FinishReason::tool_calls;
    reply.usage = {120, std::nullopt, 7};
    reply.model = "m";
    reply.wait = std::chrono::milliseconds(12);
    reply.total = std::chrono::milliseconds(34);
    return Replied{reply};
}

Fact observed() {
    Observed fact;
    fact.sha256 = "abc";
    fact.file = "screenshots/turn_0001.png";
    fact.size = {1536, 864};
    fact.area = {-1920, 0, 1920, 1080};
    fact.changed = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    fact.settle = std::chrono::milliseconds(180);
    fact.end = "reacted";
    fact.reacted_after = std::chrono::milliseconds(30);
    fact.capture = std::chrono::microseconds(9500);
    fact.scale = std::chrono::microseconds(7900);
    fact.encode = std::chrono::microseconds(12345);
    return fact;
}

Fact invoked() {
    Invoked fact;
    fact.call_id = "id1";
    fact.tool = "click";
    fact.ok = true;
    fact.result_json = R"({"ok":true})";
    fact.policy = std::chrono::microseconds(2500);
    fact.act = std::chrono::microseconds(1500);
    fact.reads = true;
    fact.effect = winio::ActionEffect::no_visible_change;
    return fact;
}

const Command invoke = Invoke{{"id1", "click", R"({"box":[1,2]})", {}}};

void write_run(const std::filesystem::path& file) {
    Journal journal(file);
    journal.append(Payload(RunStarted{"do it", "observer", "m"}), 0);
    journal.append(Command(Observe{1}), 0);
    journal.append(observed(), 0);
    journal.append(replied_with_call(), 1);
    journal.append(invoke, 1);
    journal.append(invoked(), 1);
}

std::string problem_with(const std::filesystem::path& file) {
    try {
        const Journal journal(file);
        return "none";
    } catch (const Error& error) {
        CHECK(error.code() == errc::journal_corrupt);
        return error.what();
    }
}

void write(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
}

} // namespace

TEST_CASE("every entry is a JSON object with its number and the hash of the line before it") {
    const test::TempFolder folder;
    write_run(folder / "events.jsonl");
    const auto lines = test::lines_of(folder / "events.jsonl");
    REQUIRE(lines.size() == 6);
    std::string previous(64, '0');
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto entry = parse_json(lines[i]);
        REQUIRE(entry);
        CHECK(entry->at("seq").as_int64() == static_cast<std::int64_t>(i + 1));
        CHECK(entry->at("prev").as_string() == previous);
        CHECK(entry->at("t").as_int64() >= 0);
        CHECK(entry->as_object().contains("turn"));
        previous = vlm::sha256_hex(lines[i]);
    }
    CHECK_THAT(
        lines[2],
        ContainsSubstring(
            R"("settle_ms":180,"end":"reacted","reacted_ms":30,"capture_ms":9.5,"scale_ms":7.9,"encode_ms":12.345)"));
}

TEST_CASE("the provenance of calls and ignored calls are read back, and missing ones are native") {
    const test::TempFolder folder;
    {
        Journal journal(folder / "events.jsonl");
        vlm::ChatReply reply;
        reply.tool_calls = {{"id1", "click", "{}", {}, vlm::Provenance::text},
                            {"id2", "click", "{}", {}, vlm::Provenance::native}};
        journal.append(Fact(Replied{reply}), 1);
        journal.append(Command(Invoke{reply.tool_calls[0], "agent"}), 1);
        journal.append(invoked(), 1);
        for (const auto ignored :
             {vlm::IgnoredCall::not_accepted, vlm::IgnoredCall::unclear, vlm::IgnoredCall::quoted})
            journal.append(Fact(Replied{{.ignored_call = ignored}}), 1);
    }
    const auto lines = test::lines_of(folder / "events.jsonl");
    CHECK_THAT(lines.at(0), ContainsSubstring(R"("provenance":"text"},{"id":"id2")"));
    CHECK_THAT(lines.at(0).substr(lines.at(0).find("id2")), !ContainsSubstring("provenance"));
    CHECK_THAT(lines.at(1), ContainsSubstring(R"("provenance":"text")"));
    const Journal journal(folder / "events.jsonl");
    const auto reply = [&](std::size_t i) {
        return std::get<Replied>(journal.recovered().at(i)).reply;
    };
    CHECK(reply(0).tool_calls.at(0).provenance == vlm::Provenance::text);
    CHECK(reply(0).tool_calls.at(1).provenance == vlm::Provenance::native);
    CHECK(reply(0).ignored_call == vlm::IgnoredCall::none);
    CHECK(reply(2).ignored_call == vlm::IgnoredCall::not_accepted);
    CHECK(reply(3).ignored_call == vlm::IgnoredCall::unclear);
    CHECK(reply(4).ignored_call == vlm::IgnoredCall::quoted);
    const auto invoke_event = parse_event(lines.at(1));
    CHECK(std::get<Invoke>(invoke_event.payload).call.provenance == vlm::Provenance::text);
}

TEST_CASE("the facts of a journal are read back unchanged") {
    const test::TempFolder folder;
    write_run(folder / "events.jsonl");
    const Journal journal(folder / "events.jsonl");
    REQUIRE(journal.recovered().size() == 3);

    const auto& screenshot = std::get<Observed>(journal.recovered()[0]);
    const auto expected = std::get<Observed>(observed());
    CHECK(screenshot.sha256 == expected.sha256);
    CHECK(screenshot.file == expected.file);
    CHECK(screenshot.size == expected.size);
    CHECK(screenshot.area == expected.area);
    CHECK(screenshot.changed == expected.changed);
    CHECK(screenshot.settle == expected.settle);
    CHECK(screenshot.end == expected.end);
    CHECK(screenshot.reacted_after == expected.reacted_after);
    CHECK(screenshot.capture == expected.capture);
    CHECK(screenshot.encode == expected.encode);

    const auto& reply = std::get<Replied>(journal.recovered()[1]).reply;
    const auto sent = std::get<Replied>(replied_with_call()).reply;
    CHECK(reply.text == sent.text);
    CHECK(reply.reasoning == sent.reasoning);
    CHECK(reply.tool_calls == sent.tool_calls);
    CHECK(reply.finish == sent.finish);
    CHECK(reply.usage.prompt_tokens == 120);
    CHECK_FALSE(reply.usage.cached_tokens);
    CHECK(reply.total == sent.total);

    CHECK(std::get<Invoked>(journal.recovered()[2]).result_json == R"({"ok":true})");
    CHECK_FALSE(std::get<Invoked>(journal.recovered()[2]).interrupted);
    CHECK(std::get<Invoked>(journal.recovered()[2]).policy == std::chrono::microseconds(2500));
    CHECK(std::get<Invoked>(journal.recovered()[2]).reads);
    CHECK(std::get<Invoked>(journal.recovered()[2]).effect ==
          winio::ActionEffect::no_visible_change);
}

TEST_CASE("screenshots of a part of the screen are read back unchanged") {
    const test::TempFolder folder;
    const winio::NormBox region{12.5, 0, 250.25, 1000};
    const Zoom zoom{region, ZoomUse::refine, winio::NormPoint{100.5, 7}};
    Invoked wants = std::get<Invoked>(invoked());
    wants.zoom = region;
    {
        Journal journal(folder / "events.jsonl");
        journal.append(Payload(RunStarted{"do it", "observer", "m"}), 0);
        journal.append(Command(Observe{1, {}, zoom}), 0);
        for (const ZoomUse use : {ZoomUse::positions, ZoomUse::look, ZoomUse::refine}) {
            Observed seen = std::get<Observed>(observed());
            seen.zoomed = Zoomed{{-1920, 0, 3840, 1080}, use, {}};
            if (use == ZoomUse::refine) seen.zoomed->element = winio::Size{12, 9};
            journal.append(Fact(seen), 0);
        }
        journal.append(Fact(wants), 1);
    }
    const Journal journal(folder / "events.jsonl");
    REQUIRE(journal.recovered().size() == 4);
    const auto zoomed = [&](std::size_t i) {
        return std::get<Observed>(journal.recovered()[i]).zoomed.value();
    };
    CHECK(zoomed(0) == Zoomed{{-1920, 0, 3840, 1080}, ZoomUse::positions, {}});
    CHECK(zoomed(1).use == ZoomUse::look);
    CHECK(zoomed(2) == Zoomed{{-1920, 0, 3840, 1080}, ZoomUse::refine, winio::Size{12, 9}});
    CHECK(std::get<Invoked>(journal.recovered()[3]).zoom == region);
    bool read = false;
    JournalReader reader(folder / "events.jsonl");
    while (const auto event = reader.next())
        if (const auto* look = std::get_if<Observe>(&event->payload)) read = look->zoom == zoom;
    CHECK(read);
}

TEST_CASE("facts about a screen that changes while the model thinks are read back unchanged") {
    const test::TempFolder folder;
    {
        Journal journal(folder / "events.jsonl");
        journal.append(Payload(RunStarted{"do it", "observer", "m"}), 0);
        journal.append(
            Fact(Superseded{"abc", {{1, 2, 3, 4}}, std::chrono::milliseconds(450), 1200}), 1);
        journal.append(Fact(Superseded{"def", {}, {}, {}}), 1);
        Replied reply = std::get<Replied>(replied_with_call());
        reply.screen_changed = true;
        journal.append(Fact(reply), 1);
        Invoked refused = std::get<Invoked>(invoked());
        refused.stale = StaleCall{"window", {{5, 6, 7, 8}}};
        journal.append(Fact(refused), 1);
    }
    const Journal journal(folder / "events.jsonl");
    REQUIRE(journal.recovered().size() == 4);
    const auto& superseded = std::get<Superseded>(journal.recovered()[0]);
    CHECK(superseded.sha256 == "abc");
    CHECK(superseded.changed == std::vector{winio::Rect{1, 2, 3, 4}});
    CHECK(superseded.after == std::chrono::milliseconds(450));
    CHECK(superseded.estimated_tokens == 1200);
    const auto& unsent = std::get<Superseded>(journal.recovered()[1]);
    CHECK(unsent.changed.empty());
    CHECK_FALSE(unsent.estimated_tokens);
    CHECK(std::get<Replied>(journal.recovered()[2]).screen_changed);
    const auto& stale = std::get<Invoked>(journal.recovered()[3]).stale;
    REQUIRE(stale);
    CHECK(stale->reason == "window");
    CHECK(stale->rects == std::vector{winio::Rect{5, 6, 7, 8}});
}

TEST_CASE("errors are stored by name, and numbers in older journals are read as names") {
    const test::TempFolder folder;
    const auto file = folder / "events.jsonl";
    {
        Journal journal(file);
        journal.append(Payload(RunStarted{"do it", "observer", "m"}), 0);
        journal.append(Command(Observe{1}), 0);
        journal.append(Fact(ObserveFailed{"winio.capture_failed", "no"}), 0);
    }
    const std::string now = test::read_file(file);
    CHECK_THAT(now, ContainsSubstring(R"("error":"winio.capture_failed")"));
    std::string then = now;
    then.replace(then.find("winio.capture_failed"), 20, "winio:4");
    write(file, then); // only the last line differs, which no hash covers
    const Journal journal(file);
    REQUIRE(journal.recovered().size() == 1);
    CHECK(std::get<ObserveFailed>(journal.recovered()[0]).error == "winio.capture_failed");
}

TEST_CASE("a journal continues after its last entry") {
    const test::TempFolder folder;
    write_run(folder / "events.jsonl");
    {
        Journal journal(folder / "events.jsonl");
        journal.append(Fact(Stopped{"enough"}), 1);
    }
    const Journal journal(folder / "events.jsonl");
    CHECK(journal.recovered().size() == 4);
}

TEST_CASE("a run releases the facts of its earlier parts once its mode has applied them") {
    /// Ends the run as soon as it has the facts.
    struct Ending final : Mode {
        int facts = 0;
        [[nodiscard]] Command next() const override { return Finish{}; }
        void apply(const Fact&) override { ++facts; }
        [[nodiscard]] ModeState state() const override { return {}; }
    };
    struct Nowhere final : World {
        Fact execute(const Command&) override { return Stopped{}; }
    };
    const test::TempFolder folder;
    write_run(folder / "events.jsonl");
    Journal journal(folder / "events.jsonl");
    Ending mode;
    Nowhere world;
    (void)drive(mode, journal, world);
    CHECK(mode.facts == 3);
    CHECK(journal.recovered().capacity() == 0);
}

TEST_CASE("a torn last line is dropped, and the next entry follows the last complete one") {
    const test::TempFolder folder;
    const auto file = folder / "events.jsonl";
    write_run(file);
    const std::string whole = test::read_file(file);
    for (const std::size_t cut : {std::size_t{1}, std::size_t{2}, std::size_t{40}}) {
        write(file, whole.substr(0, whole.size() - cut)); // the last line is "invoked"
        {
            Journal journal(file);
            CHECK(std::get<Invoked>(journal.recovered().back()).interrupted);
        }
        CHECK(problem_with(file) == "none");
    }
}

TEST_CASE(
    "an action with a decision of the guard, but without a result, is reported as interrupted") {
    const test::TempFolder folder;
    const auto file = folder / "events.jsonl";
    {
        Journal journal(file);
        journal.append(invoke, 1);
        journal.append(Payload(Judged{.guard = {true, "built_in: terminal", "user", "panel"},
                                      .call_id = "id1",
                                      .tool = "click"}),
                       1);
    }
    const Journal journal(file);
    REQUIRE(journal.recovered().size() == 1);
    CHECK(std::get<Invoked>(journal.recovered()[0]).interrupted);
    const auto lines = test::lines_of(file);
    REQUIRE(lines.size() == 3);
    CHECK_THAT(lines[1], ContainsSubstring(
                             R"("call_id":"id1","tool":"click","allowed":true,)"
                             R"("rule":"built_in: terminal","decider":"user","channel":"panel",)"
                             R"("policy_ms":)"));
}

TEST_CASE("an action without a result is reported as interrupted, once") {
    const test::TempFolder folder;
    const auto file = folder / "events.jsonl";
    {
        Journal journal(file);
        journal.append(invoke, 1);
    }
    for (int times = 0; times < 2; ++times) {
        const Journal journal(file);
        REQUIRE(journal.recovered().size() == 1);
        const auto& fact = std::get<Invoked>(journal.recovered()[0]);
        CHECK(fact.interrupted);
        CHECK(fact.call_id == "id1");
        CHECK_THAT(fact.result_json, ContainsSubstring("look at the screen before repeating it"));
    }
    CHECK(test::lines_of(file).size() == 2);
}

TEST_CASE("a changed journal is rejected, and the error names the line") {
    const test::TempFolder folder;
    const auto file = folder / "events.jsonl";
    write_run(file);
    const std::string whole = test::read_file(file);
    const auto line_end = [&](int line) {
        std::size_t at = 0;
        for (int i = 0; i < line; ++i) at = whole.find('\n', at) + 1;
        return at;
    };
    std::string changed = whole;
    changed.replace(whole.find("do it"), 5, "do me");
    write(file, changed);
    CHECK_THAT(problem_with(file),
               ContainsSubstring("line 2: the line before it has been changed"));

    write(file, whole.substr(0, line_end(2)) + whole.substr(line_end(3)));
    CHECK_THAT(problem_with(file), ContainsSubstring("line 3: the entry before it is missing"));

    write(file, "not json\n");
    CHECK_THAT(problem_with(file), ContainsSubstring("line 1"));
    write(file, "[]\n");
    CHECK_THAT(problem_with(file), ContainsSubstring("line 1: not an object"));
    write(file, "{}\n");
    CHECK_THAT(problem_with(file), ContainsSubstring("line 1"));
}

TEST_CASE("a listener receives an entry after it is written") {
    const test::TempFolder folder;
    const auto file = folder / "events.jsonl";
    std::vector<std::string> heard;
    Journal journal(file, [&](const Event& event) {
        CHECK(test::lines_of(file).back() == event.line);
        heard.push_back(event.line);
    });
    journal.append(invoke, 1);
    journal.append(invoked(), 1);
    CHECK(heard.size() == 2);
}

TEST_CASE("a journal with a writer can be read, but neither opened nor repaired") {
    const test::TempFolder folder;
    const auto file = folder / "events.jsonl";
    std::optional<Journal> journal(std::in_place, file);
    journal->append(invoke, 1);
    std::ofstream(file, std::ios::binary | std::ios::app)
        << "{\"se"; // half a line, as it is written
    const std::string before = test::read_file(file);
    try {
        const Journal another(file);
        FAIL("no exception");
    } catch (const Error& error) {
        CHECK(error.code() == errc::run_locked);
        CHECK_THAT(error.what(), ContainsSubstring("the run is still in progress"));
    }
    CHECK(test::read_file(file) == before);
    journal.reset();
    CHECK(Journal(file).recovered().size() == 1);
}

TEST_CASE("a journal that cannot be written throws") {
    const test::TempFolder folder;
    try {
        const Journal journal(folder / "no/such/folder/events.jsonl");
        FAIL("no exception");
    } catch (const Error& error) {
        CHECK(error.code() == errc::journal_failed);
        CHECK_THAT(error.what(), ContainsSubstring("events.jsonl"));
    }
}

#ifdef __linux__
TEST_CASE("a full disk causes a clear error, and the written entries stay readable") {
    const test::TempFolder folder;
    const auto file = folder / "events.jsonl";
    {
        Journal journal(file);
        journal.append(invoke, 1);
        journal.append(invoked(), 1);
        // The system refuses to let the file grow beyond a part of the next line, as a full disk
        // would.
        const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
        rlimit old_limit{};
        getrlimit(RLIMIT_FSIZE, &old_limit);
        const rlimit limit{std::filesystem::file_size(file) + 20, old_limit.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
        std::string message;
        try {
            journal.append(invoke, 2);
        } catch (const Error& error) {
            message = error.what();
        }
        setrlimit(RLIMIT_FSIZE, &old_limit);
        std::signal(SIGXFSZ, old_handler);
        CHECK_THAT(message, ContainsSubstring("is the disk full?"));
    }
    const Journal journal(file);
    CHECK(journal.recovered().size() == 1);
}
#endif

#ifdef _WIN32
TEST_CASE("a reader of a journal is not mistaken for a run in progress") {
    const test::TempFolder folder;
    const std::filesystem::path file = folder / "events.jsonl";
    std::ofstream(file, std::ios::binary).close();
    const auto open_for_reading = [&](DWORD share) {
        return CreateFileW(file.c_str(), GENERIC_READ, share, nullptr, OPEN_EXISTING, 0, nullptr);
    };
    const HANDLE jealous = open_for_reading(FILE_SHARE_READ); // prevents others from writing
    REQUIRE(jealous != INVALID_HANDLE_VALUE);
    try {
        const Journal journal(file);
        FAIL("it was opened");
    } catch (const Error& error) {
        CHECK(error.code() == errc::journal_failed);
        CHECK_THAT(error.what(), ContainsSubstring("other program"));
    }
    CloseHandle(jealous);

    const Journal journal(file);
    const HANDLE any = open_for_reading(FILE_SHARE_READ | FILE_SHARE_WRITE);
    CHECK(any != INVALID_HANDLE_VALUE);
    CloseHandle(any);
    CHECK_THROWS_AS(Journal(file), Error); // there can be only one writer
}
#endif
