// The values of records as JSON.
#include "replay/desktop_tape.hpp"

#include "base/text.hpp"
#include "eyehand/base/base64.hpp"

#include <limits>
#include <stdexcept>
#include <type_traits>

namespace eyehand::agent {
namespace {

std::string string_of(const json::value& value) {
    const json::string& text = value.as_string();
    return {text.data(), text.size()};
}

int int_of(const json::value& value) { return value.to_number<int>(); }

std::chrono::milliseconds ms_of(const json::value& value) {
    return std::chrono::milliseconds(value.to_number<std::int64_t>());
}

json::array rect_json(const winio::Rect& rect) { return {rect.x, rect.y, rect.width, rect.height}; }

/// Rectangles of real screens: their sums must not overflow.
winio::Rect rect_of(const json::value& value) {
    const json::array& all = value.as_array();
    constexpr int limit = 1 << 24;
    const auto number = [&](std::size_t i) {
        const int it = int_of(all.at(i));
        if (it < -limit || it > limit) throw std::out_of_range("a rectangle is out of range");
        return it;
    };
    return {number(0), number(1), number(2), number(3)};
}

json::array rects_json(const std::vector<winio::Rect>& rects) {
    json::array all;
    for (const winio::Rect& rect : rects) all.emplace_back(rect_json(rect));
    return all;
}

std::vector<winio::Rect> rects_of(const json::value& value) {
    std::vector<winio::Rect> rects;
    for (const json::value& rect : value.as_array()) rects.push_back(rect_of(rect));
    return rects;
}

winio::WindowState state_of(const json::value& value) {
    using winio::WindowState;
    for (const WindowState state :
         {WindowState::normal, WindowState::minimized, WindowState::maximized})
        if (value.as_string() == to_string(state)) return state;
    throw std::runtime_error("the state of a window is unknown");
}

winio::WindowId window_of(const json::value& value) {
    return winio::WindowId{static_cast<std::uintptr_t>(value.to_number<std::uint64_t>())};
}

std::uint64_t number_of(winio::WindowId window) { return static_cast<std::uint64_t>(window); }

/// Names of errors from `error_name`.
std::error_code code_of(std::string_view name) {
    if (name.empty()) return {};
    constexpr int last = static_cast<int>(winio::errc::interrupted);
    for (int value = 1; value <= last; ++value) {
        const std::error_code code = winio::make_error_code(static_cast<winio::errc>(value));
        if (error_name(code) == name) return code;
    }
    return winio::make_error_code(winio::errc::not_supported); // of a later version
}

} // namespace

void DesktopTape::keep_error(json::object record, const winio::Error& error) {
    record["error"] = error_name(error.code());
    record["message"] = shown(error.what());
    keep(std::move(record));
}

void DesktopTape::throw_error_in(const json::object& record) {
    const json::value* error = record.if_contains("error");
    if (error == nullptr || !error->is_string()) return;
    const json::value* message = record.if_contains("message");
    throw winio::Error(code_of(string_of(*error)), message != nullptr && message->is_string()
                                                       ? string_of(*message)
                                                       : std::string());
}

// ---- simple values ------------------------------------------------------------------------------

template <>
json::value TapeValue<bool>::write(const bool& value, DesktopTape&) {
    return value;
}
template <>
bool TapeValue<bool>::read(const json::value& value, DesktopTape&) {
    return value.as_bool();
}

template <>
json::value TapeValue<std::chrono::microseconds>::write(const std::chrono::microseconds& value,
                                                        DesktopTape&) {
    return value.count();
}
template <>
std::chrono::microseconds TapeValue<std::chrono::microseconds>::read(const json::value& value,
                                                                     DesktopTape&) {
    const auto count = value.to_number<std::int64_t>();
    if (count < 0 || count > std::numeric_limits<std::int64_t>::max() / 2000)
        throw std::out_of_range("a time is out of range"); // a clock counts nanoseconds
    return std::chrono::microseconds(count);
}

template <>
json::value TapeValue<std::vector<winio::Rect>>::write(const std::vector<winio::Rect>& value,
                                                       DesktopTape&) {
    return rects_json(value);
}
template <>
std::vector<winio::Rect> TapeValue<std::vector<winio::Rect>>::read(const json::value& value,
                                                                   DesktopTape&) {
    return rects_of(value);
}

template <>
json::value TapeValue<std::optional<winio::Rect>>::write(const std::optional<winio::Rect>& value,
                                                         DesktopTape&) {
    return value ? json::value(rect_json(*value)) : json::value(nullptr);
}
template <>
std::optional<winio::Rect> TapeValue<std::optional<winio::Rect>>::read(const json::value& value,
                                                                       DesktopTape&) {
    return value.is_null() ? std::nullopt : std::optional(rect_of(value));
}

template <>
json::value TapeValue<std::optional<winio::Point>>::write(const std::optional<winio::Point>& value,
                                                          DesktopTape&) {
    return value ? json::value(json::array{value->x, value->y}) : json::value(nullptr);
}
template <>
std::optional<winio::Point> TapeValue<std::optional<winio::Point>>::read(const json::value& value,
                                                                         DesktopTape&) {
    if (value.is_null()) return std::nullopt;
    return winio::Point{int_of(value.as_array().at(0)), int_of(value.as_array().at(1))};
}

template <>
json::value TapeValue<std::optional<winio::Size>>::write(const std::optional<winio::Size>& value,
                                                         DesktopTape&) {
    return value ? json::value(json::array{value->width, value->height}) : json::value(nullptr);
}
template <>
std::optional<winio::Size> TapeValue<std::optional<winio::Size>>::read(const json::value& value,
                                                                       DesktopTape&) {
    if (value.is_null()) return std::nullopt;
    const winio::Size size{int_of(value.as_array().at(0)), int_of(value.as_array().at(1))};
    constexpr int max_side = 16384; // as ImageLimits
    if (size.width <= 0 || size.height <= 0 || size.width > max_side || size.height > max_side)
        throw std::out_of_range("the size of an image is out of range");
    return size;
}

// ---- displays and windows -----------------------------------------------------------------------

template <>
json::value TapeValue<std::vector<winio::Display>>::write(const std::vector<winio::Display>& value,
                                                          DesktopTape& tape) {
    json::array all;
    for (const winio::Display& it : value)
        all.emplace_back(json::object{{"id", tape.shown(it.id)},
                                      {"name", tape.shown(it.name)},
                                      {"bounds", rect_json(it.bounds)},
                                      {"dpi", it.dpi},
                                      {"primary", it.primary}});
    return all;
}
template <>
std::vector<winio::Display> TapeValue<std::vector<winio::Display>>::read(const json::value& value,
                                                                         DesktopTape&) {
    std::vector<winio::Display> all;
    for (const json::value& it : value.as_array())
        all.push_back({.id = string_of(it.at("id")),
                       .name = string_of(it.at("name")),
                       .bounds = rect_of(it.at("bounds")),
                       .dpi = int_of(it.at("dpi")),
                       .primary = it.at("primary").as_bool()});
    return all;
}

template <>
json::value
TapeValue<std::vector<winio::WindowInfo>>::write(const std::vector<winio::WindowInfo>& value,
                                                 DesktopTape& tape) {
    json::array all;
    for (const winio::WindowInfo& it : value) {
        json::object one{{"id", number_of(it.id)},
                         {"title", tape.hides(it) ? "(redacted)" : tape.shown(it.title)},
                         {"class", tape.shown(it.window_class)},
                         {"process", tape.shown(it.process)},
                         {"process_id", it.process_id},
                         {"bounds", rect_json(it.bounds)},
                         {"state", to_string(it.state)}};
        if (it.foreground) one["foreground"] = true;
        if (it.opaque != winio::Rect{}) one["opaque"] = rect_json(it.opaque);
        if (it.elevated) one["elevated"] = true;
        all.emplace_back(std::move(one));
    }
    return all;
}
template <>
std::vector<winio::WindowInfo>
TapeValue<std::vector<winio::WindowInfo>>::read(const json::value& value, DesktopTape&) {
    std::vector<winio::WindowInfo> all;
    for (const json::value& it : value.as_array()) {
        const json::object& one = it.as_object();
        winio::WindowInfo window;
        window.id = window_of(one.at("id"));
        window.title = string_of(one.at("title"));
        window.window_class = string_of(one.at("class"));
        window.process = string_of(one.at("process"));
        window.process_id = one.at("process_id").to_number<std::uint32_t>();
        window.bounds = rect_of(one.at("bounds"));
        window.state = state_of(one.at("state"));
        window.foreground = one.contains("foreground");
        if (const json::value* opaque = one.if_contains("opaque")) window.opaque = rect_of(*opaque);
        window.elevated = one.contains("elevated");
        all.push_back(std::move(window));
    }
    return all;
}

template <>
json::value
TapeValue<std::vector<winio::PasswordField>>::write(const std::vector<winio::PasswordField>& value,
                                                    DesktopTape&) {
    json::array all;
    for (const winio::PasswordField& it : value)
        all.emplace_back(json::object{{"window", number_of(it.window)},
                                      {"bounds", rect_json(it.bounds)},
                                      {"focused", it.focused}});
    return all;
}
template <>
std::vector<winio::PasswordField>
TapeValue<std::vector<winio::PasswordField>>::read(const json::value& value, DesktopTape&) {
    std::vector<winio::PasswordField> all;
    for (const json::value& it : value.as_array())
        all.push_back(
            {window_of(it.at("window")), rect_of(it.at("bounds")), it.at("focused").as_bool()});
    return all;
}

// ---- the clipboard, the user, the client --------------------------------------------------------

template <>
json::value TapeValue<RecordedText>::write(const RecordedText& value, DesktopTape& tape) {
    if (value.text) return json::object{{"text", tape.shown(*value.text)}};
    if (value.written) return json::object{{"written", true}};
    return json::object{{"other", value.other}};
}
template <>
RecordedText TapeValue<RecordedText>::read(const json::value& value, DesktopTape&) {
    const json::object& all = value.as_object();
    if (const json::value* text = all.if_contains("text")) return {.text = string_of(*text)};
    if (all.contains("written")) return {.written = true};
    return {.other = int_of(all.at("other"))};
}

template <>
json::value TapeValue<Approval>::write(const Approval& value, DesktopTape& tape) {
    return json::object{{"granted", value.granted},
                        {"reason", tape.shown(value.reason)},
                        {"channel", tape.shown(value.channel)}};
}
template <>
Approval TapeValue<Approval>::read(const json::value& value, DesktopTape&) {
    return {value.at("granted").as_bool(), string_of(value.at("reason")),
            string_of(value.at("channel"))};
}

template <>
json::value TapeValue<std::optional<std::vector<std::uint8_t>>>::write(
    const std::optional<std::vector<std::uint8_t>>& value, DesktopTape&) {
    return value ? json::value(base::to_base64(*value)) : json::value(nullptr);
}
template <>
std::optional<std::vector<std::uint8_t>>
TapeValue<std::optional<std::vector<std::uint8_t>>>::read(const json::value& value, DesktopTape&) {
    if (value.is_null()) return std::nullopt;
    auto bytes = base::from_base64(string_of(value));
    if (!bytes) throw std::runtime_error("an image is not base64");
    return bytes;
}

// ---- the model's server -------------------------------------------------------------------------

/// The bytes must stay as they are; texts with secrets are not recorded at all.
template <>
json::value TapeValue<vlm::RawResponse>::write(const vlm::RawResponse& value, DesktopTape&) {
    json::object all;
    if (to_valid_utf8(value.body) == value.body)
        all["body"] = value.body;
    else
        all["base64"] =
            base::to_base64(std::vector<std::uint8_t>(value.body.begin(), value.body.end()));
    if (value.event_stream) all["event_stream"] = true;
    if (value.tools_as_text) all["tools_as_text"] = true;
    if (value.api != vlm::Api::chat_completions) all["api"] = vlm::to_string(value.api);
    if (!value.notes.empty()) {
        json::array notes;
        for (const std::string& note : value.notes) notes.emplace_back(to_valid_utf8(note));
        all["notes"] = std::move(notes);
    }
    return all;
}
template <>
vlm::RawResponse TapeValue<vlm::RawResponse>::read(const json::value& value, DesktopTape&) {
    const json::object& all = value.as_object();
    vlm::RawResponse response;
    if (const json::value* base64 = all.if_contains("base64")) {
        const auto bytes = base::from_base64(string_of(*base64));
        if (!bytes) throw std::runtime_error("a response is not base64");
        response.body.assign(bytes->begin(), bytes->end());
    } else {
        response.body = string_of(all.at("body"));
    }
    response.event_stream = all.contains("event_stream");
    response.tools_as_text = all.contains("tools_as_text");
    if (const json::value* api = all.if_contains("api")) {
        const auto known = vlm::parse_api(string_of(*api));
        if (!known) throw std::runtime_error("a response is of an unknown API");
        response.api = *known;
    }
    if (const json::value* notes = all.if_contains("notes"))
        for (const json::value& note : notes->as_array()) response.notes.push_back(string_of(note));
    return response;
}

// ---- the screen ---------------------------------------------------------------------------------

template <>
json::value TapeValue<RecordedCapture>::write(const RecordedCapture& value, DesktopTape& tape) {
    json::object all{{"frame", tape.frame_record(value.frame)}};
    if (!value.redacted.empty()) all["redacted"] = rects_json(value.redacted);
    return all;
}
template <>
RecordedCapture TapeValue<RecordedCapture>::read(const json::value& value, DesktopTape& tape) {
    RecordedCapture capture{.frame = tape.frame_of(value.at("frame"))};
    if (const json::value* areas = value.as_object().if_contains("redacted"))
        capture.redacted = rects_of(*areas);
    return capture;
}

template <>
json::value TapeValue<RecordedScreen>::write(const RecordedScreen& value, DesktopTape& tape) {
    json::object all{{"frame", tape.frame_record(value.frame)},
                     {"end", value.end},
                     {"settle_ms", value.settle.count()}};
    if (!value.redacted.empty()) all["redacted"] = rects_json(value.redacted);
    if (value.reacted_after) all["reacted_ms"] = value.reacted_after->count();
    if (!value.toggling.empty()) all["toggling"] = rects_json(value.toggling);
    return all;
}
template <>
RecordedScreen TapeValue<RecordedScreen>::read(const json::value& value, DesktopTape& tape) {
    const json::object& all = value.as_object();
    RecordedScreen screen;
    screen.frame = tape.frame_of(all.at("frame"));
    screen.end = string_of(all.at("end"));
    screen.settle = ms_of(all.at("settle_ms"));
    if (const json::value* areas = all.if_contains("redacted")) screen.redacted = rects_of(*areas);
    if (const json::value* time = all.if_contains("reacted_ms"))
        screen.reacted_after = ms_of(*time);
    if (const json::value* areas = all.if_contains("toggling")) screen.toggling = rects_of(*areas);
    return screen;
}

template <>
json::value TapeValue<std::optional<Superseded>>::write(const std::optional<Superseded>& value,
                                                        DesktopTape&) {
    if (!value) return nullptr;
    json::object all{{"sha256", value->sha256},
                     {"changed", rects_json(value->changed)},
                     {"after_ms", value->after.count()}};
    if (value->estimated_tokens) all["estimated_tokens"] = *value->estimated_tokens;
    return all;
}
template <>
std::optional<Superseded> TapeValue<std::optional<Superseded>>::read(const json::value& value,
                                                                     DesktopTape&) {
    if (value.is_null()) return std::nullopt;
    const json::object& all = value.as_object();
    Superseded fact{string_of(all.at("sha256")), rects_of(all.at("changed")),
                    ms_of(all.at("after_ms")), std::nullopt};
    if (const json::value* tokens = all.if_contains("estimated_tokens"))
        fact.estimated_tokens = int_of(*tokens);
    return fact;
}

// ---- input --------------------------------------------------------------------------------------

template <>
json::value TapeValue<winio::SendReport>::write(const winio::SendReport& value, DesktopTape& tape) {
    json::object all{{"sent", value.sent}, {"accepted", value.accepted}};
    if (!value.problem.empty()) all["problem"] = tape.shown(value.problem);
    if (value.error) all["error"] = error_name(value.error);
    return all;
}
template <>
winio::SendReport TapeValue<winio::SendReport>::read(const json::value& value, DesktopTape&) {
    const json::object& all = value.as_object();
    winio::SendReport report{all.at("sent").to_number<std::size_t>(),
                             all.at("accepted").to_number<std::size_t>(),
                             {},
                             {}};
    if (const json::value* problem = all.if_contains("problem"))
        report.problem = string_of(*problem);
    if (const json::value* error = all.if_contains("error"))
        report.error = code_of(string_of(*error));
    return report;
}

/// Not the number of events, which tells the length of a secret.
template <>
json::value TapeValue<winio::ExecutionReport>::write(const winio::ExecutionReport& value,
                                                     DesktopTape& tape) {
    return json::object{{"error", error_name(value.error)}, {"problem", tape.shown(value.problem)}};
}
template <>
winio::ExecutionReport TapeValue<winio::ExecutionReport>::read(const json::value& value,
                                                               DesktopTape&) {
    winio::ExecutionReport report;
    report.error = code_of(string_of(value.at("error")));
    report.problem = string_of(value.at("problem"));
    return report;
}

// ---- checks -------------------------------------------------------------------------------------

namespace {

template <class T>
void check(const AnswerKind<T>& kind, const json::object& record, DesktopTape& tape, bool& known) {
    if (record.at("of").as_string() != kind.of) return;
    known = true;
    (void)TapeValue<T>::read(record.at("value"), tape);
}

void check_answer(const json::object& record, DesktopTape& tape) {
    bool known = false;
    const auto all = [&](const auto&... kinds) { (check(kinds, record, tape, known), ...); };
    all(answers::displays, answers::windows, answers::control, answers::password_fields,
        answers::pointer, answers::busy, answers::clipboard_text, answers::clipboard_image,
        answers::clipboard_other, answers::capture, answers::screen, answers::ambient,
        answers::outdated, answers::taken_over, answers::differing, answers::watch, answers::time,
        answers::approval, answers::annotation, answers::response, answers::execute);
    if (!known)
        throw std::runtime_error("the kind of answer \"" + string_of(record.at("of")) +
                                 "\" is unknown");
}

} // namespace

void check_record(const json::object& record, DesktopTape& tape) {
    const bool is_answer = record.at("type").as_string() == "answer";
    (void)string_of(record.at(is_answer ? "of" : "what"));
    if (const json::value* error = record.if_contains("error")) {
        (void)string_of(*error);
        (void)string_of(record.at("message"));
    } else if (is_answer) {
        check_answer(record, tape);
    } else if (const json::value& value = record.at("value"); value.is_bool()) {
        return;
    } else if (value.as_object().contains("sent")) {
        (void)TapeValue<winio::SendReport>::read(value, tape);
    } else {
        (void)TapeValue<winio::ExecutionReport>::read(value, tape);
    }
}

} // namespace eyehand::agent
