// Shows a run in a terminal, one line per turn.
#pragma once

#include "eyehand/agent/event.hpp"
#include "eyehand/agent/run_view.hpp"
#include "eyehand/vlm/openai_client.hpp"
#include "spinner.hpp"

#include <cstdio>
#include <mutex>
#include <string>

namespace eyehand::cli {

/// `text` without the control characters with which a model could repaint the terminal; line breaks
/// and tabs stay.
[[nodiscard]] std::string printable(const std::string& text);

/// `text` on one line, cut after `limit` code points; control characters become spaces.
[[nodiscard]] std::string one_line(const std::string& text, std::size_t limit = std::string::npos);

enum class Detail { quiet, normal, verbose };

/// Writes progress to `talk` and, with `json`, the line of each event to `data`. On a terminal, a
/// spinner shows that the model is thinking; with `Detail::verbose`, its text appears as it
/// arrives.
class TerminalView final : public agent::Observer {
public:
    struct Options {
        Detail detail = Detail::normal;
        bool json = false;
        bool terminal = false; ///< `talk` is a terminal
        std::FILE* talk = stderr;
        std::FILE* data = stdout;
    };
    /// `profile` is the profile of the run. Without a run, only `on_retry` may be used.
    explicit TerminalView(Options options, const agent::Profile& profile = {});

    void on_event(const agent::Event& event) override;
    void on_delta(const vlm::Delta& delta) override;
    void on_progress(const agent::ToolProgress& progress) override;
    /// For ClientOptions::on_retry: prints the reason of the wait. May be called on another thread.
    void on_retry(const vlm::Attempt& attempt);

private:
    void say(const std::string& line);
    void end_streamed_words();
    std::mutex mutex_; ///< requests may report a retry while the run's thread reports deltas
    Options options_;
    Spinner spinner_;
    agent::RunView run_;
    bool streaming_ = false; ///< the last line contains text of the model
    std::chrono::milliseconds asked_{};
    bool loading_ = false; ///< the model; printed once, not at each poll
};

} // namespace eyehand::cli
