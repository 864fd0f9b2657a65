// Runs agent-cli on a terminal.
#pragma once

#include "program.hpp"

#include "catch.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace test {

struct Conversation {
    std::string shown; ///< the complete output on the terminal
    int status = -1;
    bool echoes = false; ///< afterwards
};

/// Runs agent-cli on a terminal of its own; types the next of `answers` at each question, which ends
/// with `question`; calls `before_answer` first.
inline Conversation on_terminal(std::vector<std::string> arguments,
                                const std::vector<std::string>& answers,
                                const std::string& question = "[y/N] ",
                                const std::function<void()>& before_answer = {}) {
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    REQUIRE(terminal >= 0);
    REQUIRE(grantpt(terminal) == 0);
    REQUIRE(unlockpt(terminal) == 0);
    const std::string name = ptsname(terminal);
    const std::string program = (test::program_folder() / "agent-cli").string();
    arguments.insert(arguments.begin(), program);
    std::vector<char*> words;
    words.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) { // only functions that are safe between fork and exec
        setsid();
        const int stream = open(name.c_str(), O_RDWR);
        ioctl(stream, TIOCSCTTY, 0);
        for (const int number : {0, 1, 2}) dup2(stream, number);
        execv(program.c_str(), words.data());
        _exit(127);
    }
    REQUIRE(child > 0);
    Conversation conversation;
    std::size_t answered = 0;
    std::size_t looked = 0; // up to here
    std::array<char, 4096> bytes{};
    // read fails (EIO) when the program has closed the terminal.
    for (ssize_t count = 0; (count = read(terminal, bytes.data(), bytes.size())) > 0;) {
        conversation.shown.append(bytes.data(), static_cast<std::size_t>(count));
        const std::size_t at = conversation.shown.find(question, looked);
        if (answered == answers.size() || at == std::string::npos) continue;
        looked = at + question.size();
        const std::string& answer = answers[answered++];
        if (before_answer) before_answer();
        CHECK(write(terminal, answer.data(), answer.size()) == static_cast<ssize_t>(answer.size()));
    }
    int status = 0;
    waitpid(child, &status, 0);
    termios mode{};
    conversation.echoes = tcgetattr(terminal, &mode) == 0 && (mode.c_lflag & ECHO) != 0;
    close(terminal);
    conversation.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return conversation;
}

} // namespace test
