// Server-sent events, by bytes: what a streaming server sends is cut into events here, and read by
// assemble_reply.hpp.
//
// The rules are those of the WHATWG HTML standard (section 9.2.6), except where a chat stream needs
// others: at the end of the stream an unfinished event is delivered, because servers close without
// the last blank line; a field named "error" is an event of that name, because older builds of
// llama-server report their failures so.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace eyehand::vlm::wire {

struct ServerEvent {
    std::string name{}; ///< of the "event:" line, or empty
    std::string data{}; ///< the "data:" lines, joined by "\n"; "[DONE]" is not special here
    enum class Ending {
        blank_line,
        end_of_stream ///< no blank line came: `data` may be only the beginning
    };
    Ending ending = Ending::blank_line;
    friend bool operator==(const ServerEvent&, const ServerEvent&) = default;
};

class EventParser {
public:
    using OnEvent = std::function<void(const ServerEvent&)>;

    /// An event (its name, data and the line that is being read) of more than `longest_event`
    /// bytes is refused; 0: no limit. `url` is whom the error message is about.
    EventParser(std::string url, std::size_t longest_event);

    /// Takes the next bytes, cut anywhere, and hands over the events they complete, in order. An
    /// exception of `on_event` passes through; after any exception the parser is of no more use.
    /// Throws Error{response_too_large}; events before the one that is too large are handed over.
    void feed(std::string_view bytes, const OnEvent& on_event);

    /// The stream has ended: hands over the event that no blank line completed, if there is one.
    void finish(const OnEvent& on_event);

private:
    std::string_view without_byte_order_mark(std::string_view bytes);
    void end_line(std::string_view rest_of_line, const OnEvent& on_event);
    void take_field(std::string_view line);
    void deliver(ServerEvent::Ending ending, const OnEvent& on_event);
    void check_size(std::size_t more) const;

    std::string url_;
    std::size_t longest_event_;
    std::size_t byte_order_mark_seen_ = 0; // bytes of it; 3 also once it is known to be missing
    bool after_cr_ = false;                // a line feed now belongs to the line before
    std::string line_;                     // the beginning of the line that is being read
    ServerEvent event_;
    bool has_data_ = false;
};

} // namespace eyehand::vlm::wire
