#include "desktop/client_session.hpp"

#include "desktop/session_tools.hpp"
#include "eyehand/agent/run_port.hpp"
#include "eyehand/base/exception_text.hpp"
#include "eyehand/mcp/error.hpp"
#include "eyehand/session/report.hpp"
#include "eyehand/vlm/error.hpp"
#include "run/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <random>
#include <utility>

namespace eyehand::mcp {
namespace {

using SessionClock = std::chrono::steady_clock;

/// The options of a session's run.
agent::AgentOptions run_options(const DesktopServerOptions& options, bool asks_client) {
    agent::AgentOptions all = options.agent;
    if (asks_client) all.approvals = agent::Approvals::user;
    return all;
}

/// Cannot be guessed by another client.
std::string random_token() {
    std::random_device random;
    std::string token;
    for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", random());
    return token;
}

constexpr const char* task_of_session = "Do what the MCP client asks for.";

} // namespace

ClientSession::ClientSession(Surroundings surroundings, bool asks_client)
    : around_(surroundings), asks_client_(asks_client),
      directory_(agent::RunDirectory::create(around_.options.runs)),
      agent_(around_.desktop, *this, around_.profile,
             session_tools_with([this] { return canceled_.load(); }),
             run_options(around_.options, asks_client)),
      record_(agent_.profile(), around_.desktop, directory_) {
    if (around_.options.on_session)
        watcher_ = around_.options.on_session(directory_, control_, agent_.profile());
    listener_ = control_.on_change([this] {
        { const std::lock_guard lock(mutex_); }
        changed_.notify_all();
    });
    thread_ = std::thread([this] { run(); });
}

ClientSession::~ClientSession() {
    end("the client has disconnected");
    if (thread_.joinable()) thread_.join();
}

void ClientSession::end(const std::string& reason) {
    bool acts = false;
    {
        const std::lock_guard lock(mutex_);
        if (closing_ || ended_) return;
        closing_ = true;
        close_reason_ = reason;
        acts = !waits_;
    }
    // Between calls the run completes; a call is broken off, so that nothing stays pressed.
    if (acts) control_.stop_now(reason);
    changed_.notify_all();
}

std::chrono::steady_clock::time_point ClientSession::latest_use() const {
    const std::lock_guard lock(mutex_);
    return in_call_ && !abandoned_ ? SessionClock::now() : latest_use_;
}

std::optional<std::string> ClientSession::end_reason() const {
    const std::lock_guard lock(mutex_);
    if (ended_) return end_reason_;
    return closing_ ? std::optional(close_reason_) : std::nullopt;
}

void ClientSession::deny_if_abandoned_before(SessionClock::time_point time) {
    {
        const std::lock_guard lock(mutex_);
        if (!abandoned_ || !holds_desktop_ || latest_use_ >= time) return;
    }
    deny_pending("The client has not returned the user's answer in time.");
}

std::string ClientSession::latest_screenshot() const {
    const std::lock_guard lock(mutex_);
    return latest_screenshot_;
}

// ---- on the run's thread ------------------------------------------------------------------------

void ClientSession::run() {
    std::string reason;
    try {
        std::array<agent::Observer*, 2> observers{this, watcher_.get()};
        reason = agent_.run(task_of_session, directory_, control_, observers).reason;
    } catch (const std::exception& problem) {
        reason = base::exception_text(problem);
    }
    std::optional<std::string> unanswered; // the tool that was called
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
        end_reason_ = reason;
        if (in_call_ && !result_ && holds_desktop_)
            unanswered = next_ ? next_->tool : current_ ? current_->tool : std::string();
    }
    if (unanswered) complete(CallRecord::result_of_end(*unanswered, reason));
    changed_.notify_all();
    try {
        (void)session::write_report(directory_.path());
    } catch (const std::exception&) { // NOLINT(bugprone-empty-catch): the run's files are complete
    }
}

void ClientSession::complete(CallResult result) {
    {
        const std::lock_guard lock(mutex_);
        result_ = std::move(result);
        holds_desktop_ = false;
    }
    around_.turnstile.give_back();
    changed_.notify_all();
}

void ClientSession::on_event(const agent::Event& event) {
    record_.add(event);
    if (const auto* seen = std::get_if<agent::Observed>(&event.payload);
        seen != nullptr && !seen->refines()) {
        const std::lock_guard lock(mutex_);
        latest_screenshot_ = seen->file;
    }
}

vlm::ChatReply ClientSession::reply(const vlm::ChatRequest&, const vlm::OnDelta&,
                                    std::stop_token stop) {
    // A call may have begun before the run is ready for its first one.
    const bool completes = [&] {
        const std::lock_guard lock(mutex_);
        waits_ = true;
        return current_ && holds_desktop_ && !result_;
    }();
    if (completes) {
        CallResult result = record_.result();
        if (record_.shows()) has_shown_ = true;
        complete(std::move(result));
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return next_ || closing_ || stop.stop_requested(); });
    waits_ = false;
    if (stop.stop_requested()) throw vlm::Error(vlm::errc::cancelled, "the run stops");
    vlm::ChatReply reply;
    if (closing_) {
        reply.text = "The session has ended: " + close_reason_ + ".";
        reply.finish = vlm::FinishReason::stop;
        return reply;
    }
    current_ = std::exchange(next_, std::nullopt);
    record_.begin(*current_);
    reply.finish = vlm::FinishReason::tool_calls;
    reply.tool_calls.push_back({.id = fmt::format("call_{}", ++calls_),
                                .name = current_->tool,
                                .arguments_json = current_->arguments_json});
    return reply;
}

// ---- on the threads of the server ---------------------------------------------------------------

CallResult ClientSession::call(const ClientCall& call, const CallLinks& links) {
    bool continues = false;
    {
        const std::lock_guard lock(mutex_);
        continues = abandoned_ && !links.pending.empty() && links.pending == token_ && current_ &&
                    current_->tool == call.tool && current_->arguments_json == call.arguments_json;
        if (continues) abandoned_ = false;
    }
    if (!continues) begin_call(call, links.stop);
    return wait_for_result(links);
}

/// Waits until it is this call's turn and passes it to the run.
void ClientSession::begin_call(const ClientCall& call, const std::stop_token& stop) {
    constexpr std::chrono::milliseconds look_every{50};
    std::unique_lock lock(mutex_);
    while (in_call_) {
        if (stop.stop_requested()) throw Error(errc::cancelled, "the call was canceled");
        if (abandoned_) {
            lock.unlock();
            deny_pending("The user was not asked: the client has made another call instead.");
            lock.lock();
            if (abandoned_ && result_) { // its result is not fetched
                if (record_.shows()) has_shown_ = false;
                abandoned_ = in_call_ = false;
                result_.reset();
                continue;
            }
        }
        changed_.wait_for(lock, look_every);
    }
    in_call_ = true;
    abandoned_ = false;
    canceled_ = false;
    result_.reset();
    current_.reset();
    token_ = random_token();
    const auto end_call = [&] {
        result_ = CallRecord::result_of_end(call.tool, ended_ ? end_reason_ : close_reason_);
    };
    if (ended_ || closing_) return end_call();
    lock.unlock();
    if (!around_.turnstile.take(stop)) {
        lock.lock();
        in_call_ = false;
        changed_.notify_all();
        throw Error(errc::cancelled, "the call was canceled");
    }
    lock.lock();
    if (ended_ || closing_ || stop.stop_requested()) {
        lock.unlock();
        around_.turnstile.give_back();
        lock.lock();
        if (ended_ || closing_) return end_call();
        in_call_ = false;
        changed_.notify_all();
        throw Error(errc::cancelled, "the call was canceled");
    }
    holds_desktop_ = true;
    next_ = call;
    changed_.notify_all();
}

CallResult ClientSession::wait_for_result(const CallLinks& links) {
    constexpr std::chrono::milliseconds look_every{50};
    std::unique_lock lock(mutex_);
    bool interrupted = false;
    while (!result_) {
        if (links.stop.stop_requested()) {
            interrupted = canceled_ = true;
            lock.unlock();
            deny_pending("The client has canceled the call.");
            agent::RunPort(control_)
                .interrupt_action(); // again and again: the action may begin only now
            lock.lock();
        } else {
            lock.unlock();
            const bool asked = ask_user(links);
            lock.lock();
            if (asked) continue;
        }
        if (!result_) changed_.wait_for(lock, look_every);
    }
    CallResult result = *std::exchange(result_, std::nullopt);
    interrupted = interrupted || links.stop.stop_requested(); // also if it was about to end anyway
    // The client does not receive the image, to which the run refers positions from now on.
    if (interrupted && record_.shows()) has_shown_ = false;
    in_call_ = false;
    latest_use_ = SessionClock::now();
    lock.unlock();
    changed_.notify_all();
    if (interrupted) throw Error(errc::cancelled, "the call was canceled");
    return result;
}

/// Passes a pending approval request to the client. Returns whether there was one.
bool ClientSession::ask_user(const CallLinks& links) {
    if (!asks_client_) return false; // the panel or the terminal answers
    const std::vector<agent::ApprovalRequest> requests = control_.status().approval_requests;
    if (requests.empty()) return false;
    if (!links.approve) {
        if (around_.options.agent.approvals == agent::Approvals::user) return false;
        deny_pending({});
        return true;
    }
    const agent::ApprovalRequest& request = requests.front();
    std::stop_source answered; // in the panel
    const auto is_pending = [&] {
        const std::vector<agent::ApprovalRequest> open = control_.status().approval_requests;
        return std::ranges::find(open, request.id, &agent::ApprovalRequest::id) != open.end();
    };
    const auto listener = control_.on_change([&] {
        if (!is_pending()) answered.request_stop();
    });
    if (!is_pending()) return true; // answered before the listener was there
    if (links.set_pending) links.set_pending(token_);
    try {
        control_.resolve(request.id, links.approve(request, answered.get_token()));
    } catch (const std::exception&) {
        // The client has canceled the call, has disconnected or has not answered properly. Without effect if
        // the user has answered elsewhere.
        control_.resolve(request.id, {.granted = false,
                                      .reason = "The MCP client could not ask its user.",
                                      .channel = agent::no_user_channel});
    } catch (...) { // until the client repeats the call
        leave_call();
        throw;
    }
    return true;
}

void ClientSession::leave_call() {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    latest_use_ = SessionClock::now();
}

/// Not a decision of the user.
void ClientSession::deny_pending(const std::string& reason) {
    for (const agent::ApprovalRequest& request : control_.status().approval_requests)
        control_.resolve(request.id,
                         {.granted = false, .reason = reason, .channel = agent::no_user_channel});
}

} // namespace eyehand::mcp
