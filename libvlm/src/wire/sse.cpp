#include "sse.hpp"

#include "eyehand/vlm/error.hpp"

#include <charconv>
#include <cstdint>
#include <utility>

namespace eyehand::vlm::wire {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

} // namespace

EventParser::EventParser(std::string url, std::size_t longest_event)
    : url_(std::move(url)), longest_event_(longest_event) {}

void EventParser::feed(std::string_view bytes, const OnEvent& on_event) {
    bytes = without_byte_order_mark(bytes);
    while (!bytes.empty()) {
        if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
            bytes.remove_prefix(1);
            continue;
        }
        const std::size_t end = bytes.find_first_of("\r\n");
        if (end == std::string_view::npos) {
            check_size(line_.size() + bytes.size());
            line_ += bytes;
            return;
        }
        after_cr_ = bytes[end] == '\r';
        end_line(bytes.substr(0, end), on_event);
        bytes.remove_prefix(end + 1);
    }
}

void EventParser::finish(const OnEvent& on_event) {
    // These bytes looked like the beginning of a byte order mark.
    if (byte_order_mark_seen_ < byte_order_mark.size())
        line_ = byte_order_mark.substr(0, byte_order_mark_seen_);
    if (!line_.empty()) take_field(std::exchange(line_, {}));
    deliver(ServerEvent::Ending::end_of_stream, on_event);
}

/// Skips a byte order mark, also one in pieces. If the bytes turn out not to be one, they start a
/// line.
std::string_view EventParser::without_byte_order_mark(std::string_view bytes) {
    while (byte_order_mark_seen_ < byte_order_mark.size() && !bytes.empty()) {
        if (bytes.front() == byte_order_mark[byte_order_mark_seen_]) {
            ++byte_order_mark_seen_;
            bytes.remove_prefix(1);
        } else {
            line_ = byte_order_mark.substr(0, byte_order_mark_seen_);
            byte_order_mark_seen_ = byte_order_mark.size();
        }
    }
    return bytes;
}

void EventParser::end_line(std::string_view rest_of_line, const OnEvent& on_event) {
    check_size(line_.size() + rest_of_line.size());
    if (line_.empty() && rest_of_line.empty()) {
        deliver(ServerEvent::Ending::blank_line, on_event);
    } else if (line_.empty()) { // the usual case needs no copy
        take_field(rest_of_line);
    } else {
        line_ += rest_of_line;
        take_field(std::exchange(line_, {}));
    }
}

void EventParser::take_field(std::string_view line) {
    const std::size_t colon = line.find(':');
    const std::string_view name = line.substr(0, colon); // empty: a comment, often a ping
    std::string_view value;
    if (colon != std::string_view::npos) value = line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (name == "event") {
        event_.name = value;
    } else if (name == "data" || name == "error") {
        if (name == "error") event_.name = name;
        if (std::exchange(has_data_, true)) event_.data += '\n';
        event_.data += value;
    } else if (name == "id") {
        if (value.find('\0') == std::string_view::npos) last_id_ = value;
    } else if (name == "retry") {
        std::uint32_t milliseconds = 0;
        const char* const end = value.data() + value.size();
        if (std::from_chars(value.data(), end, milliseconds).ptr == end && !value.empty())
            retry_ = std::chrono::milliseconds(milliseconds);
    }
}

void EventParser::deliver(ServerEvent::Ending ending, const OnEvent& on_event) {
    ServerEvent event = std::exchange(event_, {});
    if (!std::exchange(has_data_, false)) return; // a name without data is not an event
    event.ending = ending;
    on_event(event);
}

void EventParser::check_size(std::size_t more) const {
    if (longest_event_ == 0 || event_.name.size() + event_.data.size() + more <= longest_event_)
        return;
    throw Error(errc::response_too_large,
                url_ + " sent an event of more than " + std::to_string(longest_event_) +
                    " bytes: is this a model server?",
                {.status = 200});
}

} // namespace eyehand::vlm::wire
