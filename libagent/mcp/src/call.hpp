// A request whose handler waits or runs.
#pragma once

#include "exchange_source.hpp"
#include "revision.hpp"
#include "session.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::mcp {

class Task;

/// What a request says about itself and its client.
struct CallFacts {
    RequestId id{};
    std::string method{};
    std::string uri{}; ///< of resources/read
    std::string revision{};
    PeerInfo client{};
    json::object capabilities{};
    std::optional<json::value> progress_token{};
    std::optional<LogLevel> log_level{}; ///< not set: no messages
    json::object answers{};              ///< to earlier InputNeeded, by key
    std::string state{};
    std::string purpose{}; ///< what its state is valid for

    [[nodiscard]] bool is_stateless() const { return revision == stateless_revision; }
};

class Call final : public Exchange::Source {
public:
    Call(std::shared_ptr<Session> session, std::shared_ptr<Outlet> outlet, CallFacts facts)
        : session_(std::move(session)), outlet_(std::move(outlet)), facts_(std::move(facts)) {}

    [[nodiscard]] const CallFacts& facts() const { return facts_; }
    [[nodiscard]] const std::shared_ptr<Outlet>& outlet() const { return outlet_; }
    void cancel() { stop_.request_stop(); }
    /// No further notification is sent.
    void end();
    /// Null: the request has not been answered with a task.
    [[nodiscard]] std::shared_ptr<Task> task() const;
    /// What the client must return when it repeats the request; empty: nothing.
    [[nodiscard]] std::string sealed_state() const;

    // Exchange::Source
    [[nodiscard]] const PeerInfo& client() const override { return facts_.client; }
    [[nodiscard]] const std::string& session() const override { return session_->id(); }
    [[nodiscard]] std::stop_token stop() const override { return stop_.get_token(); }
    void progress(double done, std::optional<double> total, std::string_view message) override;
    void log(LogLevel level, std::string_view logger, json::value data) override;
    [[nodiscard]] bool can_ask(std::string_view method) const override;
    [[nodiscard]] bool waits_for_answers() const override;
    bool continue_as_task() override;
    [[nodiscard]] std::vector<json::object> ask(const std::vector<InputRequest>& requests,
                                                const std::stop_token& until) override;
    [[nodiscard]] const std::string& request_state() const override { return facts_.state; }
    void set_request_state(std::string state) override { new_state_ = std::move(state); }

private:
    const std::shared_ptr<Session> session_;
    const std::shared_ptr<Outlet> outlet_;
    const CallFacts facts_;
    std::stop_source stop_;
    std::optional<std::string> new_state_; // of the handler's thread
    mutable std::mutex mutex_;             // of the notifications, whose order it keeps
    bool ended_ = false;
    std::shared_ptr<Task> task_;
    std::optional<double> latest_progress_;
};

} // namespace eyehand::mcp
