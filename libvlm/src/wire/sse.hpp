// Splits the bytes of a stream into server-sent events, which assemble_reply.hpp reads.
//
// The rules are those of the WHATWG HTML standard (section 9.2.6), with two exceptions for chat
// streams: at the end of the stream an unfinished event is delivered, because some servers close
// without the last blank line; a field named "error" is an event of that name, because older builds
// of llama-server report failures in this form.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace eyehand::vlm::wire {

struct ServerEvent {
    std::string name{}; ///< from the "event:" line, or empty
    std::string data{}; ///< the "data:" lines, joined by "\n"; "[DONE]" is not special here
    enum class Ending {
        blank_line,
        end_of_stream ///< the blank line is missing: `data` may be incomplete
    };
    Ending ending = Ending::blank_line;
    friend bool operator==(const ServerEvent&, const ServerEvent&) = default;
};

class EventParser {
public:
    using OnEvent = std::function<void(const ServerEvent&)>;

    /// `longest_event` is the maximum size of an event in bytes (its name, data and the line being
    /// read); 0: no limit. `url` is used in the error message.
    EventParser(std::string url, std::size_t longest_event);

    /// Takes the next bytes, split anywhere, and passes the events that they complete to
    /// `on_event`, in order. Throws Error{response_too_large}, after passing the events before the
    /// one that is too large, and the exceptions of `on_event`. Do not use the parser after an
    /// exception.
    void feed(std::string_view bytes, const OnEvent& on_event);

    /// Call it at the end of the stream. Passes the last event if its blank line is missing.
    void finish(const OnEvent& on_event);

    /// The last "id:", with which a new request continues the stream; empty: the server gives none.
    [[nodiscard]] const std::string& last_id() const { return last_id_; }
    /// The last "retry:": the time until that request, as the server requests.
    [[nodiscard]] std::optional<std::chrono::milliseconds> retry() const { return retry_; }

private:
    std::string_view without_byte_order_mark(std::string_view bytes);
    void end_line(std::string_view rest_of_line, const OnEvent& on_event);
    void take_field(std::string_view line);
    void deliver(ServerEvent::Ending ending, const OnEvent& on_event);
    void check_size(std::size_t more) const;

    std::string url_;
    std::size_t longest_event_;
    std::size_t byte_order_mark_seen_ = 0; // in bytes; 3 also if the mark is missing
    bool after_cr_ = false;                // a line feed now belongs to the previous line
    std::string line_;                     // the beginning of the line that is being read
    ServerEvent event_;
    bool has_data_ = false;
    std::string last_id_;
    std::optional<std::chrono::milliseconds> retry_;
};

} // namespace eyehand::vlm::wire
