// A run as it is seen in a terminal: a turn a line.
#pragma once

#include "agent/event.hpp"

#include <cstdio>
#include <string>

namespace cli {

/// `text` without the control characters with which a model could repaint the terminal; line breaks
/// and tabs stay.
[[nodiscard]] std::string printable(const std::string& text);

/// `text` on one line, cut after `limit` code points; control characters become spaces.
[[nodiscard]] std::string one_line(const std::string& text, std::size_t limit = std::string::npos);

enum class Detail { quiet, normal, verbose };

/// Writes progress to `talk` and, with `json`, every event's line to `data`.
class TerminalView final : public agent::Observer {
public:
    struct Options {
        Detail detail = Detail::normal;
        bool json = false;
        std::FILE* talk = stderr;
        std::FILE* data = stdout;
    };
    explicit TerminalView(Options options) : options_(options) {}

    void on_event(const agent::Event& event) override;

private:
    void say(const std::string& line) const;
    Options options_;
    agent::Replied reply_; ///< of the turn that is going on
    std::chrono::milliseconds asked_{};
};

} // namespace cli
