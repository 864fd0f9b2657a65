// A session of a client: a run of an agent whose model is the client.
//
// The run has a thread of its own. Its model (`vlm::ChatModel::reply`) waits until the client calls a
// tool and returns the call as its reply; when the run asks for the next reply, the call is complete, and
// its result is made from the events since then.
#pragma once

#include "desktop/call_record.hpp"
#include "desktop/turnstile.hpp"
#include "eyehand/mcp/desktop_server.hpp"
#include "eyehand/vlm/model.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace eyehand::mcp {

/// The connection of a call to its client. Valid during the call.
struct CallLinks {
    std::stop_token stop{};
    /// Asks the user of the client; empty: the client cannot. `answered` is triggered when the user has
    /// answered elsewhere, such as in a panel. A std::exception denies the request; any other one leaves the
    /// call, to be called again by the same call (`pending`).
    std::function<agent::Approval(const agent::ApprovalRequest&, const std::stop_token& answered)>
        approve{};
    /// Names a call that has begun, and whose handler was left: this one continues it. Untrusted.
    std::string pending{};
    /// Receives the name of the call before `approve` is called.
    std::function<void(const std::string&)> set_pending{};
};

class ClientSession final : private vlm::ChatModel, private agent::Observer {
public:
    /// What all sessions share; must outlive them.
    struct Surroundings {
        winio::Desktop& desktop;
        const DesktopServerOptions& options;
        const agent::Profile& profile;
        Turnstile& turnstile;
    };
    /// Begins the run. `asks_client`: approval requests can be passed to `CallLinks::approve`. Throws as
    /// `agent::Agent` and `RunDirectory::create`.
    ClientSession(Surroundings surroundings, bool asks_client);
    ~ClientSession() override; ///< ends the run, and returns when its report is written
    ClientSession(const ClientSession&) = delete;
    ClientSession& operator=(const ClientSession&) = delete;

    /// Carries out a call; further ones wait. Throws Error{cancelled} after a stop request: the action
    /// was interrupted.
    [[nodiscard]] CallResult call(const ClientCall& call, const CallLinks& links);
    /// Interrupts an action, and ends the run at once. `call` returns an error from then on.
    void end(const std::string& reason);
    /// Denies what waits for the user if the client was asked before `time` and has not come back since, so
    /// that others get the desktop.
    void deny_if_abandoned_before(std::chrono::steady_clock::time_point time);
    /// Why the run has ended or ends; nothing: it goes on.
    [[nodiscard]] std::optional<std::string> end_reason() const;

    [[nodiscard]] const agent::RunDirectory& directory() const { return directory_; }
    [[nodiscard]] std::chrono::steady_clock::time_point latest_use() const;
    /// Whether the client has received the image to which positions refer.
    [[nodiscard]] bool has_shown() const { return has_shown_; }
    /// The name of the file with the latest screenshot; empty: none.
    [[nodiscard]] std::string latest_screenshot() const;

private:
    vlm::ChatReply reply(const vlm::ChatRequest& request, const vlm::OnDelta& on_delta,
                         std::stop_token stop) override;
    void on_event(const agent::Event& event) override;
    void run();
    void complete(CallResult result);
    void begin_call(const ClientCall& call, const std::stop_token& stop);
    [[nodiscard]] CallResult wait_for_result(const CallLinks& links);
    [[nodiscard]] bool ask_user(const CallLinks& links);
    void deny_pending(const std::string& reason);
    void leave_call();

    const Surroundings around_;
    const bool asks_client_;
    agent::RunDirectory directory_;
    agent::RunControl control_;
    std::atomic<bool> canceled_ = false; ///< the client has canceled the call
    agent::Agent agent_;
    std::unique_ptr<agent::Observer> watcher_; ///< of the caller
    CallRecord record_; ///< used by the run, except while it waits for a call

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool waits_ = false;     ///< the run waits for a call
    bool in_call_ = false;   ///< a call has begun, and its result was not fetched
    bool abandoned_ = false; ///< its handler was left
    bool holds_desktop_ = false;
    std::string token_; ///< names the call
    std::optional<ClientCall> next_;
    std::optional<ClientCall> current_;
    std::optional<CallResult> result_;
    bool closing_ = false;
    std::string close_reason_;
    bool ended_ = false;
    std::string end_reason_;
    int calls_ = 0;
    std::atomic<bool> has_shown_ = false;
    std::string latest_screenshot_;
    std::chrono::steady_clock::time_point latest_use_ = std::chrono::steady_clock::now();

    std::shared_ptr<void> listener_; ///< of the control
    std::thread thread_;             ///< the run's
};

} // namespace eyehand::mcp
