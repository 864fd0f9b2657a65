// A run as it is seen in a terminal: a turn a line.
#pragma once

#include "eyehand/agent/event.hpp"
#include "eyehand/agent/run_view.hpp"
#include "eyehand/vlm/openai_client.hpp"
#include "spinner.hpp"

#include <cstdio>
#include <string>

namespace eyehand::cli {

/// `text` without the control characters with which a model could repaint the terminal; line breaks
/// and tabs stay.
[[nodiscard]] std::string printable(const std::string& text);

/// `text` on one line, cut after `limit` code points; control characters become spaces.
[[nodiscard]] std::string one_line(const std::string& text, std::size_t limit = std::string::npos);

enum class Detail { quiet, normal, verbose };

/// Writes progress to `talk` and, with `json`, every event's line to `data`. On a terminal a spinner
/// shows that the model thinks; verbose, its words appear as they come.
class TerminalView final : public agent::Observer {
public:
    struct Options {
        Detail detail = Detail::normal;
        bool json = false;
        bool terminal = false; ///< `talk` is one
        std::FILE* talk = stderr;
        std::FILE* data = stdout;
    };
    /// `profile` is that of the run; without a run only `on_retry` is used.
    explicit TerminalView(Options options, const agent::Profile& profile = {});

    void on_event(const agent::Event& event) override;
    void on_delta(const vlm::Delta& delta) override;
    /// For ClientOptions::on_retry: why nothing happens for a while.
    void on_retry(const vlm::Attempt& attempt);

private:
    void say(const std::string& line);
    void end_streamed_words();
    Options options_;
    Spinner spinner_;
    agent::RunView run_;
    bool streaming_ = false; ///< words of the model stand on the last line
    std::chrono::milliseconds asked_{};
    bool loading_ = false; ///< the model; said once, not at each look
};

} // namespace eyehand::cli
