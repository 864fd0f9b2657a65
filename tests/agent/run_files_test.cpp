// The files of a run: private, and safe to read and continue if the run directory comes from
// another user.
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/http_log.hpp"
#include "eyehand/agent/journal.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/agent/lmstudio_log.hpp"
#include "eyehand/agent/run_view.hpp"
#include "eyehand/session/report.hpp"
#include "eyehand/vlm/digest.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "json/json.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

#include <fmt/format.h>

#include <fstream>
#include <functional>

#ifndef _WIN32
#include <sys/stat.h>
#endif

using namespace eyehand;

namespace {

using namespace agent;
namespace fs = std::filesystem;

AgentOptions at_once() {
    AgentOptions options;
    options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
    options.reaction = winio::no_reaction_wait;
    options.watch = Watch::off; // a resumed run sends the latest screenshot of the run directory
    return options;
}

/// A run that the server has ended after a screenshot.
struct Interrupted {
    test::TempFolder folder;
    winio::testing::MemoryDesktop desktop{winio::Size{200, 100}};
    vlm::testing::ScriptedModel model;
    RunDirectory directory = RunDirectory::create(folder.path());
    Profile profile = load_profile("observer");

    void run() {
        model.call("observe_screen", "{}").fail({vlm::errc::unreachable, "nothing listens"});
        RunControl control;
        CHECK(agent().run("do it", directory, control).outcome == Outcome::endpoint_failed);
    }
    RunFinished resume() {
        model.say("Done.");
        RunControl control;
        RunDirectory again = RunDirectory::open(directory.path());
        return agent().resume(again, control);
    }
    /// The message of the error with which a resumption is refused.
    std::string problem(errc expected) {
        const std::size_t asked = model.requests().size();
        try {
            resume();
        } catch (const Error& error) {
            CHECK(error.code() == expected);
            CHECK(model.requests().size() == asked);
            return error.what();
        }
        return "no exception";
    }
    Agent agent() { return {desktop, model, profile, built_in_tools(), at_once()}; }

    /// Changes a text in the journal and makes its chain valid again, as the author of a manipulated
    /// run directory would.
    void forge(const std::string& before, const std::string& after) const {
        std::string journal;
        std::string previous(64, '0');
        bool found = false;
        for (std::string line : test::lines_of(directory.journal_file())) {
            if (const auto at = line.find(before); at != std::string::npos) {
                line.replace(at, before.size(), after);
                found = true;
            }
            auto entry = parse_json(line);
            REQUIRE(entry);
            entry->as_object()["prev"] = previous;
            line = to_text(*entry);
            previous = vlm::sha256_hex(line);
            journal += line + "\n";
        }
        REQUIRE(found);
        std::ofstream(directory.journal_file(), std::ios::binary | std::ios::trunc) << journal;
    }
};

} // namespace

#ifndef _WIN32

namespace {

class Umask {
public:
    explicit Umask(mode_t mask) : before_(umask(mask)) {}
    ~Umask() { umask(before_); }
    Umask(const Umask&) = delete;
    Umask& operator=(const Umask&) = delete;

private:
    mode_t before_;
};

std::string mode_of_file(const fs::path& path) {
    struct stat status {};
    REQUIRE(lstat(path.c_str(), &status) == 0);
    return fmt::format("{:04o}", status.st_mode & 07777U);
}

/// Checks a folder and everything in it.
void check_private(const fs::path& folder) {
    CHECK(mode_of_file(folder) == "0700");
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        CAPTURE(entry.path());
        CHECK(mode_of_file(entry.path()) == (entry.is_directory() ? "0700" : "0600"));
    }
}

} // namespace

TEST_CASE("run files: only their owner can read them, whatever the umask") {
    const test::TempFolder logs;
    std::ofstream(logs / "server.log") << "before\n";
    Interrupted stage;
    const LmStudioLog server_log({logs.path()});
    std::ofstream(logs / "server.log", std::ios::app) << "during\n";
    const std::string name = GENERATE("observer", "story");
    stage.profile = load_profile(name);
    const Umask umask(GENERATE(mode_t{0}, mode_t{0777}));
    RunDirectory directory = RunDirectory::create(stage.folder.path());
    stage.model.call("observe_screen", "{}").say("Done.");
    stage.model.fail({vlm::errc::unreachable, "nothing listens"});
    HttpLog http_log;
    http_log.add({});
    http_log.write_to(directory);
    RunControl control;
    Agent agent(stage.desktop, stage.model, stage.profile, built_in_tools(), at_once());
    (void)agent.run("do it", directory, control);
    CHECK(server_log.save(directory.path()).note.empty());
    (void)session::write_report(directory.path());
    directory.create("turn_0001/screenshot_raw.png", "x");
    for (const char* file : {"events.jsonl", "run.json", "execution_log.txt", "http.log",
                             "lmstudio_raw.log", "lmstudio_clean.log", "report.html"})
        CHECK(fs::exists(directory.path() / file));
    CHECK(fs::exists(directory.path() / "prompts"));
    check_private(directory.path());
}

TEST_CASE("run files: the folder of the runs keeps the umask") {
    const test::TempFolder folder;
    const Umask umask(022);
    const RunDirectory directory = RunDirectory::create(folder / "runs");
    CHECK(mode_of_file(folder / "runs") == "0755");
    CHECK(mode_of_file(directory.path()) == "0700");
}

TEST_CASE("run files: a resumed run makes the files that it continues private") {
    Interrupted stage;
    stage.run();
    for (const char* name : {"", "events.jsonl", "execution_log.txt", "run.json"})
        fs::permissions(stage.directory.path() / name, fs::perms{0755});
    CHECK(stage.resume().outcome == Outcome::completed);
    for (const char* name : {"events.jsonl", "execution_log.txt", "run.json"})
        CHECK(mode_of_file(stage.directory.path() / name) == "0600");
    CHECK(mode_of_file(stage.directory.path()) == "0700");
}

TEST_CASE("run files: a journal that is a link is not continued, and its target stays unchanged") {
    Interrupted stage;
    stage.run();
    const fs::path target = stage.folder / "target.jsonl";
    fs::rename(stage.directory.journal_file(), target);
    std::ofstream(target, std::ios::app) << "not a complete line";
    const std::string before = test::read_file(target);
    SECTION("symbolic") {
        fs::create_symlink(target, stage.directory.journal_file());
        CHECK_THAT(stage.problem(errc::journal_failed), ContainsSubstring("it is a link"));
        CHECK_THROWS_AS(Journal(stage.directory.journal_file()), Error);
        CHECK(read_journal(stage.directory.journal_file()).empty());
        CHECK_FALSE(stage.directory.journal_is_locked());
    }
    SECTION("hard") {
        fs::create_hard_link(target, stage.directory.journal_file());
        CHECK_THAT(stage.problem(errc::journal_failed), ContainsSubstring("a second name"));
    }
    SECTION("without a target") {
        const fs::path missing = stage.folder / "missing.jsonl";
        fs::create_symlink(missing, stage.directory.journal_file());
        CHECK_THAT(stage.problem(errc::journal_failed), ContainsSubstring("it is a link"));
        CHECK_FALSE(fs::exists(missing));
    }
    CHECK(test::read_file(target) == before);
}

TEST_CASE("run files: logs that are links are not continued, and their targets stay unchanged") {
    Interrupted stage;
    stage.run();
    const fs::path target = stage.folder / "target";
    std::ofstream(target) << "mine";
    const std::string name = GENERATE("execution_log.txt", "http.log");
    fs::remove(stage.directory.path() / name);
    fs::create_symlink(target, stage.directory.path() / name);
    CHECK_THROWS_AS(stage.directory.open_append(name), Error);
    CHECK(test::read_file(target) == "mine");
}

TEST_CASE("run files: a file of the run that is a link is replaced, not written through") {
    Interrupted stage;
    const fs::path target = stage.folder / "target";
    std::ofstream(target) << "mine";
    for (const char* name : {"run.json", "run.json.new"})
        fs::create_symlink(target, stage.directory.path() / name);
    stage.directory.replace("run.json", "{}");
    CHECK(test::read_file(stage.directory.path() / "run.json") == "{}");
    CHECK_FALSE(fs::is_symlink(stage.directory.path() / "run.json"));
    fs::create_symlink(stage.folder / "missing", stage.directory.path() / "new.png");
    CHECK_THROWS_AS(stage.directory.create("new.png", "x"), Error);
    CHECK_FALSE(fs::exists(stage.folder / "missing"));
    CHECK(test::read_file(target) == "mine");
}

TEST_CASE("run files: a folder of the run that is a link is neither read nor written") {
    Interrupted stage;
    stage.run();
    fs::rename(stage.directory.path() / "screenshots", stage.folder / "elsewhere");
    fs::create_directory_symlink(stage.folder / "elsewhere",
                                 stage.directory.path() / "screenshots");
    CHECK(fs::exists(stage.directory.path() / "screenshots/turn_0001.png"));
    CHECK(stage.directory.open_read("screenshots/turn_0001.png") == nullptr);
    CHECK_THROWS_AS(stage.directory.create("screenshots/new.png", "x"), Error);
    CHECK_FALSE(fs::exists(stage.folder / "elsewhere/new.png"));
    CHECK_THROWS_AS(RunDirectory::open(stage.directory.path()), Error);
}

TEST_CASE("run files: pipes instead of files do not block a resumption") {
    Interrupted stage;
    stage.run();
    const std::string name =
        GENERATE("events.jsonl", "run.json", "execution_log.txt", "screenshots/turn_0002.png");
    CAPTURE(name);
    fs::remove(stage.directory.path() / name);
    REQUIRE(mkfifo((stage.directory.path() / name).c_str(), 0600) == 0);
    CHECK(stage.directory.open_read(name) == nullptr);
    if (name == "run.json") // only the journal is required, and the file is written again
        CHECK(stage.resume().outcome == Outcome::completed);
    else
        CHECK_THROWS_AS(stage.resume(), Error);
}

TEST_CASE("run files: a run directory may be named by a link to it") {
    Interrupted stage;
    stage.run();
    fs::create_directory_symlink(stage.directory.path(), stage.folder / "latest");
    stage.directory = RunDirectory::open(stage.folder / "latest");
    CHECK(stage.resume().outcome == Outcome::completed);
    CHECK(read_run(stage.folder / "latest").finished());
}

#endif

TEST_CASE("run files: a screenshot outside of the run directory is not sent to the model") {
    Interrupted stage;
    stage.run();
    const std::string name = "screenshots/turn_0002.png";
    fs::copy_file(stage.directory.path() / name, stage.folder / "secret.png");
    const std::vector<std::string> names{"../secret.png", "screenshots/../../secret.png",
                                         (stage.folder / "secret.png").generic_string()};
    const std::string& elsewhere = names[GENERATE(0U, 1U, 2U)];
    CAPTURE(elsewhere);
    stage.forge(name, elsewhere);
    fs::remove(stage.directory.path() / name);
    CHECK_THAT(stage.problem(errc::bad_run),
               ContainsSubstring("secret.png is not a readable file of the run directory"));
}

TEST_CASE("run files: a screenshot that is too large is not read") {
    Interrupted stage;
    stage.run();
    fs::resize_file(stage.directory.path() / "screenshots/turn_0002.png",
                    (std::uintmax_t{64} << 20U) + 1);
    CHECK_THAT(stage.problem(errc::bad_run), ContainsSubstring("is larger than 64 MB"));
}

TEST_CASE("run files: names that lead out of the run directory are refused") {
    const test::TempFolder folder;
    RunDirectory directory = RunDirectory::create(folder.path());
    std::ofstream(folder / "there") << "x";
    for (const std::string& name :
         {std::string(), std::string("."), std::string("../there"), std::string("a/../../there"),
          std::string("screenshots/.."), (folder / "there").generic_string()}) {
        CAPTURE(name);
        CHECK_FALSE(directory.contains(name));
        CHECK(directory.open_read(name) == nullptr);
        CHECK_THROWS_AS(directory.create(name, "x"), Error);
        CHECK_THROWS_AS(directory.replace(name, "x"), Error);
        CHECK_THROWS_AS(directory.open_append(name), Error);
    }
    CHECK(test::read_file(folder / "there") == "x");
}

TEST_CASE("run files: the log of turns is not written where a manipulated journal says") {
    Interrupted stage;
    stage.profile = load_profile("story");
    stage.profile.log = {LogLayout::turn_dirs, false, LogLevel::info};
    stage.model.say(R"({"observation":"I see it.","bboxes":[],"actions":[]})");
    stage.model.fail({vlm::errc::unreachable, "nothing listens"});
    RunControl control;
    (void)stage.agent().run("do it", stage.directory, control);
    stage.forge("turn_0001/screenshot_raw.png", "../outside/screenshot_raw.png");
    CHECK_THROWS_AS(stage.resume(), Error);
    CHECK_FALSE(fs::exists(stage.folder / "outside"));
}
