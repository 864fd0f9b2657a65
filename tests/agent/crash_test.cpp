// Kills a program repeatedly while it runs an agent.
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/agent/prompt.hpp"
#include "json/json.hpp"

#include "catch.hpp"
#include "eventually.hpp"
#include "program.hpp"
#include "temp_folder.hpp"

#include <csignal>
#include <random>
#include <spawn.h>
#include <sys/wait.h>

using namespace eyehand;

extern char** environ; // NOLINT

namespace {

constexpr int turns = 25; // each types another letter, except every fifth

class Program {
public:
    explicit Program(const std::filesystem::path& folder) {
        const std::string program = test::program_file("eyehand-crash-run").string();
        const std::string where = folder.string();
        const std::string count = std::to_string(turns);
        std::vector<char*> arguments;
        for (const std::string* word : {&program, &where, &count})
            arguments.push_back(const_cast<char*>(word->c_str()));
        arguments.push_back(nullptr);
        REQUIRE(posix_spawn(&process_, program.c_str(), nullptr, nullptr, arguments.data(),
                            environ) == 0);
    }
    ~Program() { kill(); }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    /// The exit status after it has ended by itself.
    std::optional<int> status() {
        int status = 0;
        if (!ended_ && waitpid(process_, &status, WNOHANG) == process_) {
            ended_ = true;
            if (WIFEXITED(status)) status_ = WEXITSTATUS(status);
        }
        return status_;
    }
    void kill() {
        if (ended_) return;
        ::kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
        ended_ = true;
    }
    [[nodiscard]] bool has_ended() {
        (void)status();
        return ended_;
    }

private:
    pid_t process_ = 0;
    bool ended_ = false;
    std::optional<int> status_;
};

std::uintmax_t size_of(const std::filesystem::path& file) {
    std::error_code none;
    const std::uintmax_t size = std::filesystem::file_size(file, none);
    return none ? 0 : size;
}

/// Checks that each text of a request that the journal names can be read.
void check_texts(const std::filesystem::path& run) {
    for (const agent::Event& event : agent::read_journal(run / "events.jsonl")) {
        const auto* request = std::get_if<agent::Asked>(&event.payload);
        if (request == nullptr) continue;
        REQUIRE(request->sent);
        for (const agent::SentMessage& message : request->sent->added)
            for (const agent::SentPart& part : message.parts)
                if (part.image_sha256.empty()) CHECK(agent::read_prompt(run, part.text.hash));
        CHECK(agent::read_prompt(run, request->sent->tools->hash));
    }
}

} // namespace

TEST_CASE("a run that is killed a hundred times at any moment can be resumed, its journal stays "
          "readable, and no action is repeated") {
    std::mt19937 random(5);
    int kills = 0;
    while (kills < 100) {
        test::TempFolder folder;
        const std::filesystem::path journal = folder / "run_0001" / "events.jsonl";
        const int kills_before = kills;
        while (true) {
            Program program(folder.path());
            // Some bytes further: anywhere within an entry, or between two.
            const std::uintmax_t enough =
                size_of(journal) + std::uniform_int_distribution<std::uintmax_t>(1, 9000)(random);
            CHECK(test::eventually(
                [&] { return program.has_ended() || size_of(journal) >= enough; }));
            program.kill();
            if (!program.status()) ++kills;
            const auto lines = test::lines_of(journal);
            for (std::size_t i = 0; i + 1 < lines.size(); ++i) CHECK(agent::parse_json(lines[i]));
            check_texts(folder / "run_0001");
            if (!program.status()) continue;
            CHECK(*program.status() == 0);
            break;
        }
        const std::string effects = test::read_file(folder / "effects");
        CHECK(std::is_sorted(effects.begin(), effects.end()));
        CHECK(std::adjacent_find(effects.begin(), effects.end()) == effects.end());
        // A kill loses at most one action: the model decides about one that may have happened.
        CHECK(static_cast<int>(effects.size()) + kills - kills_before >= turns - turns / 5);
    }
}
