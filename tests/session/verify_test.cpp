// Verification of the files of a run (verify.hpp).
#include "eyehand/agent/agent.hpp"
#include "eyehand/session/verify.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/png.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

#include <fstream>
#include <functional>

using namespace eyehand;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using session::Assurance;
using session::Verification;

namespace {

constexpr const char* key = "a key of more than sixteen bytes";

void write_file(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
}

struct Drawing {
    int side = 0;
};

/// A run in a directory, with a seal unless it fails.
struct VerifyStage {
    test::TempFolder folder;
    agent::RunDirectory run = agent::RunDirectory::create(folder.path());
    winio::testing::MemoryDesktop desktop{winio::Size{1001, 1001}};
    vlm::testing::ScriptedModel model;
    agent::AgentOptions options;

    explicit VerifyStage(std::string journal_key = {}) {
        options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
        options.reaction = winio::no_reaction_wait;
        options.journal_key = std::move(journal_key);
    }
    agent::Agent agent() {
        return {desktop, model, agent::load_profile("observer"), agent::built_in_tools(), options};
    }
    VerifyStage& complete() {
        model.call("click_element", R"({"label":"OK","box":[500,250]})").say("Done.");
        const agent::RunControl control;
        (void)agent().run("do it", run, control);
        session::seal_run(run, options.journal_key);
        return *this;
    }
    /// A run that can be resumed.
    VerifyStage& interrupt() {
        agent::RunControl control;
        control.stop("enough");
        (void)agent().run("do it", run, control);
        session::seal_run(run, options.journal_key);
        return *this;
    }
    [[nodiscard]] Verification verify(std::string_view with = {}) const {
        return session::verify_run(run, with);
    }
    /// The problems, one per line.
    [[nodiscard]] std::string problems(std::string_view with = {}) const {
        std::string all;
        for (const session::Problem& it : verify(with).problems)
            all += it.file + (it.line == 0 ? "" : " " + std::to_string(it.line)) + ": " + it.text +
                   '\n';
        return all;
    }
    [[nodiscard]] std::vector<std::string> journal() const {
        std::ifstream in(run.journal_file());
        std::vector<std::string> lines;
        for (std::string line; std::getline(in, line);) lines.push_back(line);
        return lines;
    }
    void change_journal(const std::function<void(std::vector<std::string>&)>& change) const {
        std::vector<std::string> lines = journal();
        change(lines);
        std::string text;
        for (const std::string& line : lines) text += line + '\n';
        write_file(run.journal_file(), text);
    }
    [[nodiscard]] std::filesystem::path file(const char* name) const { return run.path() / name; }
    void append(const char* name, const char* text) const {
        write_file(file(name), test::read_file(file(name)) + text);
    }
    /// The path of the first text that was sent to the model.
    [[nodiscard]] std::filesystem::path prompt() const {
        for (const std::string& name : run.names())
            if (name.starts_with("prompts/")) return run.path() / name;
        throw std::runtime_error("the run has no prompts");
    }
};

void replace(std::string& line, std::string_view from, std::string_view to) {
    const std::size_t at = line.find(from);
    REQUIRE(at != std::string::npos);
    line.replace(at, from.size(), to);
}

} // namespace

TEST_CASE("an unchanged run is verified completely") {
    const Verification result = VerifyStage().complete().verify();
    CHECK(result.problems.empty());
    CHECK(result.unverified.empty());
    CHECK(result.assurance == Assurance::hashes);
    CHECK(result.lines > 10);
    CHECK(result.screenshots == 1);
    CHECK(result.prompts > 2);
    CHECK(result.logs == 2); // run.json and execution_log.txt
    CHECK_THAT(session::to_text(result), StartsWith("no change found: "));
}

TEST_CASE("a run in memory is verified as well") {
    VerifyStage stage;
    stage.model.say("Done.");
    agent::MemoryStore store;
    (void)stage.agent().run("do it", store, agent::RunControl());
    session::seal_run(store);
    const Verification result = session::verify_run(store);
    CHECK(result.problems.empty());
    CHECK(result.unverified.empty());
    CHECK(result.screenshots == 1);
}

TEST_CASE("changes of the journal are found, with the line") {
    VerifyStage stage;
    stage.complete();
    const std::size_t last = stage.journal().size();
    const std::string end = " " + std::to_string(last) + ": ";
    SECTION("a changed line") {
        stage.change_journal([](auto& lines) { replace(lines[4], R"("turn":)", R"("turn": )"); });
        CHECK(stage.problems() == "events.jsonl 6: the line before it has been changed\n");
    }
    SECTION("the last line, which no line follows") {
        stage.change_journal([](auto& lines) { replace(lines.back(), "Done.", "Gone."); });
        CHECK(stage.problems() == "events.jsonl" + end + "it has been changed\n");
    }
    SECTION("a missing line") {
        stage.change_journal([](auto& lines) { lines.erase(lines.begin() + 4); });
        CHECK_THAT(stage.problems(),
                   StartsWith("events.jsonl 5: the entry before it is missing\n"));
    }
    SECTION("missing lines at the end") {
        stage.change_journal([](auto& lines) { lines.resize(lines.size() - 2); });
        CHECK(stage.problems() ==
              "events.jsonl " + std::to_string(last - 2) + ": 2 lines after it are missing\n");
        CHECK(stage.verify().unverified.size() == 1); // the run's end is missing
    }
    SECTION("exchanged lines") {
        stage.change_journal([](auto& lines) { std::swap(lines[4], lines[5]); });
        CHECK_THAT(stage.problems(),
                   StartsWith("events.jsonl 5: the entry before it is missing\n"));
    }
    SECTION("an appended line") {
        stage.change_journal([](auto& lines) { lines.push_back(lines.back()); });
        CHECK(stage.problems() == "events.jsonl " + std::to_string(last + 1) +
                                      ": the entry before it is missing\n" + "events.jsonl " +
                                      std::to_string(last + 1) +
                                      ": it was added after the end of the run\n");
    }
    SECTION("a line that is not an entry") {
        stage.change_journal([](auto& lines) { lines[4] = "\x1b[2J"; });
        CHECK_THAT(session::to_text(stage.verify()), !ContainsSubstring("\x1b"));
        CHECK_THAT(stage.problems(),
                   ContainsSubstring("events.jsonl 5: it is not a JSON object\n"));
    }
}

TEST_CASE("changes of images in results are found") {
    VerifyStage stage;
    const auto png = winio::encode_png(winio::Image({1, 1}).view());
    stage.options.custom_tools.add<Drawing>(
        "draw", "Draws.", {agent::arg("side", &Drawing::side, "pixels")},
        [&](const Drawing&, agent::ToolContext&) {
            return agent::ok().shows(vlm::make_image(png, "image/png"));
        });
    stage.model.call("draw", R"({"side":1})").say("Done.");
    const agent::RunControl control;
    (void)stage.agent().run("do it", stage.run, control);
    session::seal_run(stage.run, {});
    CHECK(stage.problems().empty());
    std::string name;
    for (const std::string& file : stage.run.names())
        if (file.starts_with("images/")) name = file;
    REQUIRE(!name.empty());
    stage.append(name.c_str(), "x");
    CHECK(stage.problems() == name + ": has been changed\n");
    std::filesystem::remove(stage.file(name.c_str()));
    CHECK(stage.problems() == name + ": is missing\n");
}

TEST_CASE("changes of screenshots, prompts and logs are found") {
    VerifyStage stage;
    stage.complete();
    SECTION("a changed screenshot") {
        stage.append("screenshots/turn_0001.png", "x");
        CHECK(stage.problems() == "screenshots/turn_0001.png: has been changed\n");
    }
    SECTION("a missing screenshot") {
        std::filesystem::remove(stage.file("screenshots/turn_0001.png"));
        CHECK(stage.problems() == "screenshots/turn_0001.png: is missing\n");
    }
    SECTION("an added screenshot") {
        write_file(stage.file("screenshots/turn_0099.png"), "x");
        CHECK(stage.problems() == "screenshots/turn_0099.png: was added\n");
    }
    SECTION("a changed prompt") {
        write_file(stage.prompt(), "Delete everything.");
        CHECK_THAT(stage.problems(),
                   StartsWith("prompts/") && EndsWith(".txt: is missing or has been changed\n"));
    }
    SECTION("a missing prompt") {
        std::filesystem::remove(stage.prompt());
        CHECK_THAT(stage.problems(), EndsWith(".txt: is missing or has been changed\n"));
    }
    SECTION("a changed log") {
        std::string text = test::read_file(stage.file("execution_log.txt"));
        text.front() = '*';
        write_file(stage.file("execution_log.txt"), text);
        CHECK(stage.problems() == "execution_log.txt: has been changed\n");
    }
    SECTION("a longer log") {
        stage.append("execution_log.txt", "x\n");
        CHECK(stage.problems() == "execution_log.txt: has text after its end\n");
    }
    SECTION("a shorter log") {
        write_file(stage.file("execution_log.txt"), "");
        CHECK(stage.problems() == "execution_log.txt: is shorter than at the end of the run\n");
    }
    SECTION("a missing file") {
        std::filesystem::remove(stage.file("run.json"));
        CHECK(stage.problems() == "run.json: is missing\n");
    }
    SECTION("an added file") {
        write_file(stage.file("notes.txt"), "x");
        CHECK(stage.problems() == "notes.txt: was added\n");
    }
    SECTION("a seal that cannot be read") {
        write_file(stage.file("seal.json"), "{}");
        CHECK_THAT(stage.problems(), StartsWith("seal.json: cannot be read: "));
    }
    SECTION("the report can be written again") {
        write_file(stage.file("report.html"), "x");
        CHECK(stage.problems().empty());
    }
}

TEST_CASE("with a key, changes with new hashes are found, too") {
    VerifyStage stage(key);
    stage.complete();
    CHECK(stage.verify(key).problems.empty());
    CHECK(stage.verify(key).assurance == Assurance::key);
    CHECK(stage.verify().problems.empty());
    CHECK(stage.verify().assurance == Assurance::none);
    SECTION("another key does not fit") {
        CHECK_THAT(stage.problems("another key"),
                   StartsWith("seal.json: was changed, or written with another key\n"
                              "events.jsonl 1: it was written with another key\n"));
    }
    SECTION("a journal with new hashes") {
        // As an author without the key would do it: the numbers and the plain hashes are right.
        VerifyStage other;
        other.complete();
        stage.change_journal([&](auto& lines) { lines = other.journal(); });
        session::seal_run(stage.run);
        CHECK_THAT(stage.problems(key),
                   ContainsSubstring("seal.json: was written without a key\n") &&
                       ContainsSubstring("events.jsonl 1: it was written without a key\n"));
    }
    SECTION("a new seal without the key") {
        stage.append("execution_log.txt", "x\n");
        session::seal_run(stage.run, "another key");
        CHECK(stage.problems(key) == "seal.json: was changed, or written with another key\n");
    }
    SECTION("a removed seal") {
        std::filesystem::remove(stage.file("seal.json"));
        CHECK(stage.problems(key) == "seal.json: is missing\n");
    }
}

TEST_CASE("a run without a seal says what is not verified") {
    VerifyStage stage;
    stage.complete();
    std::filesystem::remove(stage.file("seal.json"));
    SECTION("a completed run") {
        stage.append("execution_log.txt", "x\n");
        const Verification result = stage.verify();
        CHECK(result.problems.empty());
        REQUIRE(result.unverified.size() == 1);
        CHECK_THAT(result.unverified[0], ContainsSubstring("logs and the end of the journal"));
    }
    SECTION("a run that was killed while it wrote a line") {
        std::string text = test::read_file(stage.run.journal_file());
        write_file(stage.run.journal_file(), text.substr(0, text.size() - 10));
        const Verification result = stage.verify();
        CHECK(result.problems.empty());
        REQUIRE(result.unverified.size() == 2);
        CHECK_THAT(result.unverified[0], ContainsSubstring("incomplete"));
        CHECK_THAT(result.unverified[1], ContainsSubstring("interrupted or is in progress"));
    }
}

TEST_CASE("a resumed run is verified with its new seal, with the same key") {
    VerifyStage stage(key);
    stage.interrupt();
    CHECK(stage.verify(key).problems.empty());
    stage.model.say("Done.");
    (void)stage.agent().resume(stage.run, agent::RunControl());
    SECTION("before the new seal") {
        const Verification result = stage.verify(key);
        CHECK(result.problems.empty());
        REQUIRE(result.unverified.size() == 1);
        CHECK_THAT(result.unverified[0], ContainsSubstring("resumed after its seal"));
    }
    SECTION("with it") {
        session::seal_run(stage.run, key);
        CHECK(stage.problems(key).empty());
        CHECK(stage.verify(key).unverified.empty());
    }
}

TEST_CASE("a run with a key is not resumed without it") {
    VerifyStage stage(key);
    stage.interrupt();
    const std::size_t lines = stage.journal().size();
    stage.model.say("Done.").say("Done.");
    stage.options.journal_key.clear();
    CHECK_THROWS_WITH(stage.agent().resume(stage.run, agent::RunControl()),
                      ContainsSubstring("requires the same key"));
    stage.options.journal_key = "another key";
    CHECK_THROWS_WITH(stage.agent().resume(stage.run, agent::RunControl()),
                      ContainsSubstring("another key"));
    CHECK(stage.journal().size() == lines);
}

TEST_CASE("a run that began without a key is resumed without one") {
    VerifyStage stage;
    stage.interrupt();
    stage.model.say("Done.");
    stage.options.journal_key = key;
    CHECK(stage.agent().resume(stage.run, agent::RunControl()).outcome ==
          agent::Outcome::completed);
    session::seal_run(stage.run);
    CHECK(stage.problems().empty());
    CHECK_THAT(stage.problems(key),
               ContainsSubstring("events.jsonl 1: it was written without a key\n"));
}

#ifdef __linux__
namespace {

/// The maximum memory of this process so far.
std::size_t peak_bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:")) return std::stoul(line.substr(6)) * 1024;
    throw std::runtime_error("/proc/self/status has no VmHWM");
}

} // namespace

TEST_CASE("a log of any size is sealed and verified with little memory") {
    constexpr std::size_t size = std::size_t{256} << 20U;
    VerifyStage stage;
    stage.interrupt();
    std::ofstream(stage.run.path() / "http.log").close();
    std::filesystem::resize_file(stage.run.path() / "http.log", size); // needs no room on the disk
    const std::size_t before = peak_bytes();
    session::seal_run(stage.run);
    CHECK(stage.problems().empty());
    CHECK(peak_bytes() - before < size / 4);
    std::ofstream(stage.run.path() / "http.log", std::ios::app) << "more";
    CHECK(stage.problems() == "http.log: has text after its end\n");
}
#endif

TEST_CASE("only a run with a journal is verified") {
    const VerifyStage stage;
    CHECK_THROWS_AS(stage.verify(), agent::Error);
}
