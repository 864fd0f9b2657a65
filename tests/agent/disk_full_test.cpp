// Full and read-only disks for each file of a run: the run stops with a clear message, and no file
// is left unreadable.
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/http_log.hpp"
#include "eyehand/agent/journal.hpp"
#include "eyehand/vlm/openai_client.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "record/journal_json.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"
#include "unguarded.hpp"

#include <functional>

#ifdef __linux__
#include <csignal>
#include <sys/resource.h>
#endif

using namespace eyehand;

namespace {

using namespace agent;
namespace fs = std::filesystem;

/// Remembers the type of the last event.
struct Watcher final : Observer {
    std::string last;
    void on_event(const Event& event) override { last = type_name(event.payload); }
};

struct DiskFullStage {
    test::TempFolder folder;
    Watcher watcher;
    winio::testing::MemoryDesktop desktop{winio::Size{300, 200}};
    vlm::testing::ScriptedModel model;
    RunDirectory directory = RunDirectory::create(folder.path());

    /// Makes the file or folder of that name unwritable, even for root.
    void block(const std::string& name) const {
        const fs::path path = directory.path() / name;
        const bool was_folder = fs::is_directory(path);
        fs::remove_all(path);
        if (was_folder)
            std::ofstream(path) << "in the way";
        else
            fs::create_directory(path);
    }
    /// The message with which a run ends; `at` is called with the second request to the model.
    std::string run(const std::function<void()>& at) {
        model.call("press_key", R"({"key":"a"})")
            .answer([&](const vlm::ChatRequest&) -> vlm::ChatReply {
                at();
                return {.tool_calls = {{"id", "observe_screen", "{}", {}}}};
            })
            .say("done");
        return run_with(model);
    }
    std::string run_with(vlm::ChatModel& asked) {
        AgentOptions options = test::unguarded();
        options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
        options.reaction = winio::no_reaction_wait;
        Agent agent(desktop, asked, load_profile("observer"), built_in_tools(), options);
        RunControl control;
        try {
            agent.run("do it", directory, control, &watcher);
            return "no exception";
        } catch (const Error& error) {
            CHECK(error.code() == errc::journal_failed);
            return error.what();
        }
    }
    /// Checks that all files can be read.
    void check_readable() const {
        CHECK(load_run(directory.path()).summary.task == "do it");
        CHECK_FALSE(fs::is_regular_file(directory.path() / "run.json.new"));
        for (const std::string& line : test::lines_of(directory.journal_file()))
            CHECK(parse_json(line));
        CHECK(test::read_file(directory.journal_file()).ends_with('\n'));
        const Journal journal(directory.journal_file()); // its chain of hashes holds
        if (fs::is_directory(directory.path() / "screenshots"))
            for (const auto& screenshot : fs::directory_iterator(directory.path() / "screenshots"))
                CHECK(test::read_file(screenshot.path()).find("IEND") != std::string::npos);
        for (const char* log : {"execution_log.txt", "http.log"})
            if (fs::is_regular_file(directory.path() / log))
                CHECK(test::read_file(directory.path() / log).ends_with("\n"));
    }
    [[nodiscard]] std::string outcome() const { return load_run(directory.path()).outcome; }
};

#ifdef __linux__
/// Every pixel has another color, so that the PNG is large.
void make_noise(winio::Image& screen) {
    std::uint32_t state = 1;
    for (int y = 0; y < screen.size().height; ++y)
        for (int x = 0; x < screen.size().width; ++x) {
            state = state * 1664525U + 1013904223U;
            screen.fill({x, y, 1, 1}, {static_cast<std::uint8_t>(state >> 24U),
                                       static_cast<std::uint8_t>(state >> 16U),
                                       static_cast<std::uint8_t>(state >> 8U), 255});
        }
}

/// Limits the size of this process's files, as on a full disk, during its lifetime.
class FullDisk {
public:
    explicit FullDisk(std::uintmax_t max_bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        getrlimit(RLIMIT_FSIZE, &old_limit_);
        const rlimit limit{max_bytes, old_limit_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FullDisk() {
        setrlimit(RLIMIT_FSIZE, &old_limit_);
        std::signal(SIGXFSZ, old_handler_);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

private:
    void (*old_handler_)(int);
    rlimit old_limit_{};
};
#endif

} // namespace

TEST_CASE("disk: a screenshot that cannot be written ends the run") {
    DiskFullStage stage;
    CHECK_THAT(stage.run([&] { stage.block("screenshots"); }),
               ContainsSubstring("turn_0003.png cannot be written"));
    CHECK(stage.outcome() == "failed");
    stage.check_readable();
}

TEST_CASE("disk: an execution log that cannot be written ends the run") {
    DiskFullStage stage;
    CHECK_THAT(stage.run([&] { stage.block("execution_log.txt"); }),
               ContainsSubstring("execution_log.txt cannot be written"));
    CHECK(stage.outcome() == "failed");
    CHECK(stage.watcher.last == "run_finished"); // observers still receive the events
    stage.check_readable();
}

TEST_CASE("disk: an HTTP log that cannot be written ends the run") {
    DiskFullStage stage;
    vlm::testing::ChatServer server;
    for (int i = 0; i < 3; ++i)
        server.enqueue({.body = vlm::testing::completion("", "observe_screen")});
    HttpLog http_log;
    http_log.write_to(stage.directory);
    int exchanges = 0;
    vlm::OpenAiClient client(
        {.endpoint = server.url(), .on_exchange = [&](const vlm::Exchange& exchange) {
             if (++exchanges == 2) stage.block("http.log");
             http_log.add(exchange);
         }});
    CHECK_THAT(stage.run_with(client), ContainsSubstring("http.log cannot be written"));
    CHECK(server.requests().size() == 2); // no request is sent that cannot be logged
    CHECK(stage.outcome() == "failed");
    stage.check_readable();
}

TEST_CASE("disk: a summary that cannot be written leaves the previous one") {
    DiskFullStage stage;
    CHECK_THAT(stage.run([&] { fs::create_directory(stage.directory.path() / "run.json.new"); }),
               ContainsSubstring("run.json.new cannot be written"));
    CHECK(stage.outcome().empty());
    stage.check_readable();
    CHECK(Journal(stage.directory.journal_file()).outcome() == "completed");
}

#ifdef __linux__
TEST_CASE("disk: an incomplete screenshot is removed if the disk is full") {
    DiskFullStage stage;
    std::optional<FullDisk> full;
    const std::string message = stage.run([&] {
        stage.desktop.change([&] { make_noise(stage.desktop.screen()); });
        full.emplace(50000); // all other files are smaller
    });
    full.reset();
    CHECK_THAT(message, ContainsSubstring("turn_0003.png cannot be written"));
    CHECK_THAT(message, ContainsSubstring("the disk not full"));
    CHECK(stage.outcome() == "failed");
    stage.check_readable();
}

TEST_CASE("disk: an incomplete exchange is removed if the disk is full") {
    DiskFullStage stage;
    vlm::testing::ChatServer server;
    server.enqueue({.body = vlm::testing::completion("", "observe_screen")});
    server.enqueue({.body = vlm::testing::completion(std::string(100000, 'x'), "observe_screen")});
    HttpLog http_log;
    http_log.write_to(stage.directory);
    std::optional<FullDisk> full;
    vlm::OpenAiClient client(
        {.endpoint = server.url(), .on_exchange = [&](const vlm::Exchange& exchange) {
             if (!full) full.emplace(50000);
             http_log.add(exchange);
         }});
    const std::string message = stage.run_with(client);
    full.reset();
    CHECK_THAT(message, ContainsSubstring("http.log cannot be written: is the disk full?"));
    CHECK(stage.outcome() == "failed");
    CHECK_THAT(test::read_file(stage.directory.path() / "http.log"), !ContainsSubstring("xxx"));
    stage.check_readable();
}

TEST_CASE("disk: an incomplete summary leaves the previous one") {
    DiskFullStage stage;
    RunSummary summary{
        .task = "do it", .profile = load_profile("observer"), .tools = {}, .settings = {}};
    write_summary(stage.directory, summary);
    std::ofstream(stage.directory.journal_file()) << "{}\n";
    std::string message;
    {
        const FullDisk full(1000);
        try {
            summary.task = "another";
            write_summary(stage.directory, summary);
        } catch (const Error& error) {
            message = error.what();
        }
    }
    CHECK_THAT(message, ContainsSubstring("run.json.new cannot be written"));
    CHECK(load_run(stage.directory.path()).summary.task == "do it");
    CHECK_FALSE(fs::exists(stage.directory.path() / "run.json.new"));
}

TEST_CASE("disk: an incomplete entry of the execution log or the journal is removed") {
    DiskFullStage stage;
    std::optional<FullDisk> full;
    const std::string name = GENERATE("execution_log.txt", "events.jsonl");
    const std::string message = stage.run([&] {
        // The journal is longer; the task adds one entry to each file.
        full.emplace(fs::file_size(stage.directory.path() / name) + 40);
    });
    full.reset();
    CHECK_THAT(message, ContainsSubstring("cannot be written"));
    CHECK_THAT(message, ContainsSubstring("is the disk full?"));
    stage.check_readable();
}
#endif
