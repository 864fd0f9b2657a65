// A server that is a program started by the client: one message per line over its standard streams.
#include "client/link.hpp"

#include "eyehand/base/stoppable_wait.hpp"
#include "eyehand/base/utf8.hpp"

#include "base/text.hpp"
#include "process/child_process.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#ifdef _WIN32
#include <boost/asio/windows/stream_handle.hpp>
#else
#include <boost/asio/posix/stream_descriptor.hpp>
#endif

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <thread>

namespace eyehand::mcp {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

#ifdef _WIN32
using Stream = asio::windows::stream_handle;
#else
using Stream = asio::posix::stream_descriptor;
#endif

constexpr std::size_t read_buffer_bytes = std::size_t{64} * 1024;
constexpr std::size_t max_log_line = 4096;
// Text on standard output that is not a message, such as a banner: more is a fault.
constexpr std::size_t max_noise_lines = 1000;
constexpr std::chrono::seconds time_to_end{2};         // after the end of its standard input
constexpr std::chrono::milliseconds time_to_stop{500}; // after a request to terminate

/// Variables without keys, which programs need to find files and to speak the user's language.
constexpr std::array inherited_variables{
#ifdef _WIN32
    std::string_view("ALLUSERSPROFILE"),
    std::string_view("APPDATA"),
    std::string_view("COMMONPROGRAMFILES"),
    std::string_view("COMSPEC"),
    std::string_view("HOMEDRIVE"),
    std::string_view("HOMEPATH"),
    std::string_view("LOCALAPPDATA"),
    std::string_view("NUMBER_OF_PROCESSORS"),
    std::string_view("PATH"),
    std::string_view("PATHEXT"),
    std::string_view("PROCESSOR_ARCHITECTURE"),
    std::string_view("PROGRAMDATA"),
    std::string_view("PROGRAMFILES"),
    std::string_view("PROGRAMFILES(X86)"),
    std::string_view("SYSTEMDRIVE"),
    std::string_view("SYSTEMROOT"),
    std::string_view("TEMP"),
    std::string_view("TMP"),
    std::string_view("USERNAME"),
    std::string_view("USERPROFILE"),
    std::string_view("WINDIR"),
#else
    std::string_view("DBUS_SESSION_BUS_ADDRESS"),
    std::string_view("DISPLAY"),
    std::string_view("HOME"),
    std::string_view("LANG"),
    std::string_view("LC_ALL"),
    std::string_view("LC_CTYPE"),
    std::string_view("LOGNAME"),
    std::string_view("PATH"),
    std::string_view("SHELL"),
    std::string_view("TERM"),
    std::string_view("TMPDIR"),
    std::string_view("TZ"),
    std::string_view("USER"),
    std::string_view("WAYLAND_DISPLAY"),
    std::string_view("XAUTHORITY"),
    std::string_view("XDG_RUNTIME_DIR"),
#endif
};

bool is_inherited(std::string_view name) {
    return std::ranges::any_of(inherited_variables, [&](std::string_view one) {
#ifdef _WIN32
        return agent::equals_ignoring_case(one, name);
#else
        return one == name;
#endif
    });
}

std::vector<std::string> minimal_environment(const std::map<std::string, std::string>& added) {
    std::vector<std::string> all;
    for (std::string& variable : agent::environment()) {
        const std::string name = variable.substr(0, variable.find('=', 1));
        if (is_inherited(name) && !added.contains(name)) all.push_back(std::move(variable));
    }
    for (const auto& [name, value] : added) {
        std::string variable = name;
        variable += '=';
        variable += value;
        all.push_back(std::move(variable));
    }
    return all;
}

/// Its streams belong to a thread of their own, which passes on what arrives.
class ProgramLink final : public Link {
public:
    ProgramLink(const ClientOptions& options, ServerEvents events)
        : max_message_bytes_(options.max_message_bytes), in_(loop_), out_(loop_), error_(loop_),
          conversation_("the server \"" + options.name + "\"", std::move(events),
                        options.max_message_bytes) {
        start(options);
    }
    ~ProgramLink() override;

    RpcResponse ask(const OutgoingCall& call) override;
    void tell(const RpcNotification& notification) override { send(write_message(notification)); }
    void set_revision(const std::string&, bool stateless) override { stateless_ = stateless; }
    void listen(const RpcRequest& request) override {
        if (stateless_) send(write_message(request)); // older servers need no request
    }
    bool is_lost() const override { return conversation_.has_failed(); }
    Conversation& conversation() override { return conversation_; }

private:
    void start(const ClientOptions& options);
    void send(std::string message);
    void write_next();
    void read_messages();
    void take_messages(std::size_t added);
    void take_line(std::string_view line);
    void read_error();
    void take_error_lines(bool at_end);
    void lose(const Error& reason);
    void lose(errc code, std::string_view what) {
        lose(Error(code, fmt::format("{} {}", conversation_.server(), what)));
    }
    /// Waits until the program has ended; returns whether it did within the time.
    bool ends_within(std::chrono::milliseconds time);

    const std::size_t max_message_bytes_;
    asio::io_context loop_{1};
    asio::executor_work_guard<asio::io_context::executor_type> work_{loop_.get_executor()};
    Stream in_;
    Stream out_;
    Stream error_;
    std::optional<agent::ChildProcess> child_;
    std::deque<std::string> to_write_; // the thread of the loop only, as the following ones
    std::size_t bytes_to_write_ = 0;
    std::array<char, read_buffer_bytes> read_{};
    std::array<char, 4096> read_error_{};
    std::string line_;       // the beginning of a message
    std::string error_line_; // the beginning of a line of standard error
    std::size_t noise_lines_ = 0;
    bool lost_ = false;
    std::atomic<bool> stateless_{false};
    std::atomic<bool> closing_{false};
    Conversation conversation_;
    std::thread thread_;
};

void ProgramLink::start(const ClientOptions& options) {
    const auto refuse = [&](std::string_view problem) {
        throw Error(errc::unreachable,
                    fmt::format("{} cannot be started: {}: {}", conversation_.server(),
                                agent::to_valid_utf8(options.command.front()), problem));
    };
    std::optional<agent::Pipe> in = agent::open_pipe(agent::OurEnd::write);
    std::optional<agent::Pipe> out = agent::open_pipe(agent::OurEnd::read);
    std::optional<agent::Pipe> error = agent::open_pipe(agent::OurEnd::read);
    if (!in || !out || !error) refuse(agent::last_error());
    std::string problem;
    child_.reset();
    if (std::optional<agent::ChildProcess> child =
            agent::ChildProcess::start({.command = options.command,
                                        .folder = options.folder,
                                        .environment = minimal_environment(options.environment),
                                        .in = in->read.get(),
                                        .out = out->write.get(),
                                        .error = error->write.get()},
                                       problem))
        child_.emplace(std::move(*child));
    else
        refuse(problem);
    in_.assign(in->write.release());
    out_.assign(out->read.release());
    error_.assign(error->read.release());
    read_messages();
    read_error();
    thread_ = std::thread([this] {
        agent::ignore_broken_pipes();
        loop_.run();
    });
}

bool ProgramLink::ends_within(std::chrono::milliseconds time) {
    const auto end = WaitClock::now() + time;
    while (!child_->has_ended()) {
        if (WaitClock::now() >= end) return false;
        std::this_thread::sleep_for(base::stop_poll_interval);
    }
    return true;
}

/// As the specification describes: the end of its input, then a request, then by force.
ProgramLink::~ProgramLink() {
    closing_ = true;
    conversation_.fail(Error(errc::cancelled, "the connection was closed"));
    if (thread_.joinable()) {
        asio::post(loop_, [this] {
            error_code ignored;
            in_.close(ignored);
        });
        if (!ends_within(time_to_end)) {
            child_->terminate();
            (void)ends_within(time_to_stop);
        }
    }
    child_->kill(); // also processes that it started
    asio::post(loop_, [this] {
        error_code ignored;
        in_.close(ignored);
        out_.close(ignored);
        error_.close(ignored);
        work_.reset();
    });
    if (thread_.joinable()) thread_.join();
}

void ProgramLink::lose(const Error& reason) {
    if (lost_) return;
    lost_ = true;
    if (!closing_) conversation_.fail(reason);
    error_code ignored;
    in_.close(ignored);
    out_.close(ignored);
}

// --- Writing --------------------------------------------------------------------------------------

void ProgramLink::send(std::string message) {
    message += '\n';
    asio::post(loop_, [this, message = std::move(message)]() mutable {
        if (lost_) return;
        // Answers to a server that sends requests, but does not read.
        if (!to_write_.empty() && bytes_to_write_ + message.size() > 2 * max_message_bytes_) {
            lose(errc::connection_lost, "does not read its standard input");
            return;
        }
        bytes_to_write_ += message.size();
        to_write_.push_back(std::move(message));
        if (to_write_.size() == 1) write_next();
    });
}

void ProgramLink::write_next() {
    asio::async_write(in_, asio::buffer(to_write_.front()), [this](error_code error, std::size_t) {
        bytes_to_write_ -= to_write_.front().size();
        to_write_.pop_front();
        // The end of its output says more than a failed write.
        if (error) return;
        if (!to_write_.empty()) write_next();
    });
}

RpcResponse ProgramLink::ask(const OutgoingCall& call) {
    Conversation::Waiting waiting(conversation_, call.request.id);
    send(write_message(call.request));
    ProgressDeadline deadline(call.timeout);
    try {
        return waiting.wait(call.stop, deadline, call.on_progress);
    } catch (const Error& error) {
        if (call.cancellable && (error.code() == errc::cancelled || error.code() == errc::timeout))
            tell({.method = "notifications/cancelled",
                  .params = {{"requestId", to_json(call.request.id)},
                             {"reason", error.code() == errc::timeout ? "timeout" : "canceled"}}});
        throw;
    }
}

// --- Reading --------------------------------------------------------------------------------------

void ProgramLink::read_messages() {
    out_.async_read_some(asio::buffer(read_), [this](error_code error, std::size_t bytes) {
        if (bytes > 0) take_messages(bytes);
        if (lost_) return;
        if (error) {
            lose(errc::connection_lost, "ended, or closed its standard output");
            return;
        }
        read_messages();
    });
}

void ProgramLink::take_messages(std::size_t added) {
    std::string_view bytes(read_.data(), added);
    try {
        while (!lost_) {
            const std::size_t end = bytes.find('\n');
            const std::string_view piece = bytes.substr(0, end);
            if (line_.size() + piece.size() > max_message_bytes_)
                throw Error(errc::message_too_large,
                            fmt::format("{} sent a message of more than {} bytes",
                                        conversation_.server(), max_message_bytes_));
            if (end == std::string_view::npos) {
                line_ += piece;
                return;
            }
            if (line_.empty()) {
                take_line(piece);
            } else {
                line_ += piece;
                take_line(line_);
                line_.clear();
            }
            bytes.remove_prefix(end + 1);
        }
    } catch (const Error& error) {
        lose(error);
    }
}

void ProgramLink::take_line(std::string_view line) {
    line = agent::trim(line);
    if (line.empty()) return;
    if (line.front() != '{' && line.front() != '[') {
        if (++noise_lines_ > max_noise_lines)
            throw Error(errc::bad_message, fmt::format("{} writes text that is not a message to "
                                                       "its standard output",
                                                       conversation_.server()));
        conversation_.log(agent::shorten(agent::to_valid_utf8(line.substr(0, max_log_line)), 1000));
        return;
    }
    noise_lines_ = 0;
    conversation_.receive(line, [this](const std::string& message) { send(message); });
}

void ProgramLink::read_error() {
    error_.async_read_some(asio::buffer(read_error_), [this](error_code error, std::size_t bytes) {
        error_line_.append(read_error_.data(), bytes);
        take_error_lines(static_cast<bool>(error));
        if (!error) read_error();
    });
}

void ProgramLink::take_error_lines(bool at_end) {
    std::size_t begin = 0;
    while (begin < error_line_.size()) {
        std::size_t end = error_line_.find('\n', begin);
        if (end == std::string::npos) {
            if (!at_end && error_line_.size() - begin < max_log_line) break;
            end = error_line_.size();
        }
        const std::string_view line =
            std::string_view(error_line_).substr(begin, std::min(end - begin, max_log_line));
        const std::string text = agent::to_valid_utf8(agent::trim(line));
        if (!text.empty()) conversation_.log(text);
        begin = std::min(end + 1, error_line_.size());
    }
    error_line_.erase(0, begin);
}

} // namespace

std::unique_ptr<Link> start_program(const ClientOptions& options, ServerEvents events) {
    return std::make_unique<ProgramLink>(options, std::move(events));
}

} // namespace eyehand::mcp
