// What a run learns from its desktop, and the input that it sends: written to a file while a run is
// recorded, and given back while it is replayed.
//
// A recording (`recording_name`) has one JSON object per line, and docs/architecture.md describes
// its members:
//
//     {"type":"part", ...}     a run begins, or continues after an interruption
//     {"type":"command", ...}  the world executes a command of the mode
//     {"type":"answer", ...}   what the desktop, the clock, the user or the model's server answered
//     {"type":"input", ...}    input that was sent, and its result
#pragma once

#include "eyehand/agent/control.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/mode.hpp"
#include "eyehand/vlm/chat.hpp"
#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/input_executor.hpp"
#include "json/json.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eyehand::agent {

class DesktopTape;

// ---- the types of records -----------------------------------------------------------------------

/// A capture after its redaction.
struct RecordedCapture {
    winio::Frame frame{};
    std::vector<winio::Rect> redacted{};
};

/// The end of a wait for a stable screen or a reaction.
struct RecordedScreen {
    winio::Frame frame{};
    std::vector<winio::Rect> redacted{};
    std::string end{}; ///< as `Observed::end`
    std::chrono::milliseconds settle{};
    std::optional<std::chrono::milliseconds> reacted_after{};
    std::vector<winio::Rect> toggling{};
};

/// The clipboard's text. While a plan borrows the clipboard, only what the plan itself has written is
/// known: the user's own content is not recorded.
struct RecordedText {
    std::optional<std::string> text{};
    bool written = false; ///< the text that the plan has written
    int other = 0;        ///< otherwise the number of the user's text, from 1
};

/// The conversion of a record's value. `read` throws std::exception for JSON of another form.
template <class T>
struct TapeValue {
    static json::value write(const T& value, DesktopTape& tape);
    static T read(const json::value& value, DesktopTape& tape);
};

// Defined in tape_values.cpp.
template <>
json::value TapeValue<bool>::write(const bool& value, DesktopTape& tape);
template <>
bool TapeValue<bool>::read(const json::value& value, DesktopTape& tape);
template <>
json::value TapeValue<std::chrono::microseconds>::write(const std::chrono::microseconds& value,
                                                        DesktopTape& tape);
template <>
std::chrono::microseconds TapeValue<std::chrono::microseconds>::read(const json::value& value,
                                                                     DesktopTape& tape);
template <>
json::value TapeValue<std::vector<winio::Rect>>::write(const std::vector<winio::Rect>& value,
                                                       DesktopTape& tape);
template <>
std::vector<winio::Rect> TapeValue<std::vector<winio::Rect>>::read(const json::value& value,
                                                                   DesktopTape& tape);
template <>
json::value TapeValue<std::optional<winio::Rect>>::write(const std::optional<winio::Rect>& value,
                                                         DesktopTape& tape);
template <>
std::optional<winio::Rect> TapeValue<std::optional<winio::Rect>>::read(const json::value& value,
                                                                       DesktopTape& tape);
template <>
json::value TapeValue<std::optional<winio::Point>>::write(const std::optional<winio::Point>& value,
                                                          DesktopTape& tape);
template <>
std::optional<winio::Point> TapeValue<std::optional<winio::Point>>::read(const json::value& value,
                                                                         DesktopTape& tape);
template <>
json::value TapeValue<std::optional<winio::Size>>::write(const std::optional<winio::Size>& value,
                                                         DesktopTape& tape);
template <>
std::optional<winio::Size> TapeValue<std::optional<winio::Size>>::read(const json::value& value,
                                                                       DesktopTape& tape);
template <>
json::value TapeValue<std::vector<winio::Display>>::write(const std::vector<winio::Display>& value,
                                                          DesktopTape& tape);
template <>
std::vector<winio::Display> TapeValue<std::vector<winio::Display>>::read(const json::value& value,
                                                                         DesktopTape& tape);
template <>
json::value
TapeValue<std::vector<winio::WindowInfo>>::write(const std::vector<winio::WindowInfo>& value,
                                                 DesktopTape& tape);
template <>
std::vector<winio::WindowInfo>
TapeValue<std::vector<winio::WindowInfo>>::read(const json::value& value, DesktopTape& tape);
template <>
json::value
TapeValue<std::vector<winio::PasswordField>>::write(const std::vector<winio::PasswordField>& value,
                                                    DesktopTape& tape);
template <>
std::vector<winio::PasswordField>
TapeValue<std::vector<winio::PasswordField>>::read(const json::value& value, DesktopTape& tape);
template <>
json::value TapeValue<RecordedText>::write(const RecordedText& value, DesktopTape& tape);
template <>
RecordedText TapeValue<RecordedText>::read(const json::value& value, DesktopTape& tape);
template <>
json::value TapeValue<Approval>::write(const Approval& value, DesktopTape& tape);
template <>
Approval TapeValue<Approval>::read(const json::value& value, DesktopTape& tape);
template <>
json::value TapeValue<std::optional<std::vector<std::uint8_t>>>::write(
    const std::optional<std::vector<std::uint8_t>>& value, DesktopTape& tape);
template <>
std::optional<std::vector<std::uint8_t>>
TapeValue<std::optional<std::vector<std::uint8_t>>>::read(const json::value& value,
                                                          DesktopTape& tape);
template <>
json::value TapeValue<vlm::RawResponse>::write(const vlm::RawResponse& value, DesktopTape& tape);
template <>
vlm::RawResponse TapeValue<vlm::RawResponse>::read(const json::value& value, DesktopTape& tape);
template <>
json::value TapeValue<RecordedCapture>::write(const RecordedCapture& value, DesktopTape& tape);
template <>
RecordedCapture TapeValue<RecordedCapture>::read(const json::value& value, DesktopTape& tape);
template <>
json::value TapeValue<RecordedScreen>::write(const RecordedScreen& value, DesktopTape& tape);
template <>
RecordedScreen TapeValue<RecordedScreen>::read(const json::value& value, DesktopTape& tape);
template <>
json::value TapeValue<std::optional<Superseded>>::write(const std::optional<Superseded>& value,
                                                        DesktopTape& tape);
template <>
std::optional<Superseded> TapeValue<std::optional<Superseded>>::read(const json::value& value,
                                                                     DesktopTape& tape);
template <>
json::value TapeValue<winio::SendReport>::write(const winio::SendReport& value, DesktopTape& tape);
template <>
winio::SendReport TapeValue<winio::SendReport>::read(const json::value& value, DesktopTape& tape);
template <>
json::value TapeValue<winio::ExecutionReport>::write(const winio::ExecutionReport& value,
                                                     DesktopTape& tape);
template <>
winio::ExecutionReport TapeValue<winio::ExecutionReport>::read(const json::value& value,
                                                               DesktopTape& tape);

/// The name of a kind of answer, and the type of its value.
template <class T>
struct AnswerKind {
    std::string_view of;
    /// A replay that asks in another case than the run gets T{}; otherwise the recording must have an
    /// answer.
    bool has_default = false;
};

namespace answers {
inline constexpr AnswerKind<std::vector<winio::Display>> displays{"displays"};
inline constexpr AnswerKind<std::vector<winio::WindowInfo>> windows{"windows"};
inline constexpr AnswerKind<std::optional<winio::Rect>> control{"control"};
inline constexpr AnswerKind<std::vector<winio::PasswordField>> password_fields{"password_fields"};
inline constexpr AnswerKind<std::optional<winio::Point>> pointer{"pointer"};
inline constexpr AnswerKind<bool> busy{"busy"};
inline constexpr AnswerKind<RecordedText> clipboard_text{"clipboard_text"};
inline constexpr AnswerKind<std::optional<winio::Size>> clipboard_image{"clipboard_image"};
inline constexpr AnswerKind<bool> clipboard_other{"clipboard_other"};
inline constexpr AnswerKind<RecordedCapture> capture{"capture"};
inline constexpr AnswerKind<RecordedScreen> screen{"screen"};
/// Regions that change by themselves.
inline constexpr AnswerKind<std::vector<winio::Rect>> ambient{"ambient", true};
/// Whether the screenshot is too old for a request.
inline constexpr AnswerKind<bool> outdated{"outdated", true};
/// Whether the user has used the mouse or the keyboard.
inline constexpr AnswerKind<bool> taken_over{"taken_over", true};
/// Where the screen differs from the screenshot.
inline constexpr AnswerKind<std::vector<winio::Rect>> differing{"differing", true};
/// What the watch found during a request.
inline constexpr AnswerKind<std::optional<Superseded>> watch{"watch", true};
/// The time at which the guard judges an action.
inline constexpr AnswerKind<std::chrono::microseconds> time{"time", true};
inline constexpr AnswerKind<Approval> approval{"approval"};
/// The PNG file that the client has drawn; empty if the run stopped first.
inline constexpr AnswerKind<std::optional<std::vector<std::uint8_t>>> annotation{"annotation"};
/// The answer of the server from which the reply was decoded.
inline constexpr AnswerKind<vlm::RawResponse> response{"response", true};
/// A plan begins: separates the questions of the executor from those before it.
inline constexpr AnswerKind<bool> execute{"execute", true};
} // namespace answers

// ---- the tape -----------------------------------------------------------------------------------

/// Neither records nor replays: `answer` and `input` only call `live`. Use it on the run's thread.
class DesktopTape {
public:
    DesktopTape() = default;
    virtual ~DesktopTape() = default;
    DesktopTape(const DesktopTape&) = delete;
    DesktopTape& operator=(const DesktopTape&) = delete;

    [[nodiscard]] virtual bool records() const { return false; }
    [[nodiscard]] virtual bool replays() const { return false; }

    /// The world executes a command.
    virtual void begin(const Command& /*command*/, int /*turn*/) {}
    /// This process and its ancestors, or those of the recorded run.
    [[nodiscard]] virtual std::vector<std::uint32_t> own_processes() const;

    /// Returns what `live` returns, and records it; what `live` asks itself is not recorded. In a
    /// replay, returns the recorded value instead. A winio::Error is recorded and thrown again.
    template <class T, class Live>
    T answer(const AnswerKind<T>& kind, Live live) {
        if (replays()) {
            if (const json::object* record = next_answer(kind.of)) return given_back<T>(*record);
            if (kind.has_default) return T{};
            throw no_answer(kind.of);
        }
        if (!records() || muted_) return live();
        return recorded<T>({{"type", "answer"}, {"of", kind.of}}, live);
    }

    /// The same for input, of which `what` is compared in a replay. `otherwise`: the result of input
    /// that was not recorded.
    template <class T, class Live>
    T input(const std::string& what, T otherwise, Live live) {
        if (replays()) {
            const json::object* record = next_input(what);
            return record == nullptr ? std::move(otherwise) : given_back<T>(*record);
        }
        if (!records() || muted_) return live();
        return recorded<T>({{"type", "input"}, {"what", what}}, live);
    }

    // For conversions of values
    /// A text from outside in valid UTF-8, without the values of secrets.
    [[nodiscard]] virtual std::string shown(std::string_view text) const;
    /// Whether the title of a window must not be recorded.
    [[nodiscard]] virtual bool hides(const winio::WindowInfo& /*window*/) const { return false; }
    [[nodiscard]] virtual json::value frame_record(const winio::Frame& frame);
    [[nodiscard]] virtual winio::Frame frame_of(const json::value& record);

protected:
    virtual void keep(json::object&& /*record*/) {}
    /// nullptr if the recording has none.
    [[nodiscard]] virtual const json::object* next_answer(std::string_view of);
    [[nodiscard]] virtual winio::Error no_answer(std::string_view of);
    /// nullptr if the recording has other input.
    [[nodiscard]] virtual const json::object* next_input(const std::string& what);
    /// Error{bad_run} that names the record.
    [[nodiscard]] virtual Error error_in(const json::object& record,
                                         const std::string& reason) const;

private:
    class Muted {
    public:
        explicit Muted(DesktopTape& tape) : tape_(tape) { tape_.muted_ = true; }
        ~Muted() { tape_.muted_ = false; }
        Muted(const Muted&) = delete;
        Muted& operator=(const Muted&) = delete;

    private:
        DesktopTape& tape_;
    };

    template <class Live>
    auto muted(Live& live) {
        const Muted muted(*this);
        return live();
    }

    template <class T, class Live>
    T recorded(json::object record, Live& live) {
        try {
            T value = muted(live);
            record["value"] = TapeValue<T>::write(value, *this);
            keep(std::move(record));
            return value;
        } catch (const winio::Error& error) {
            keep_error(std::move(record), error);
            throw;
        }
    }

    template <class T>
    T given_back(const json::object& record) {
        throw_error_in(record);
        try {
            return TapeValue<T>::read(record.at("value"), *this);
        } catch (const std::exception& problem) {
            throw error_in(record, problem.what());
        }
    }

    void keep_error(json::object record, const winio::Error& error);
    static void throw_error_in(const json::object& record);

    bool muted_ = false; ///< within `live`
};

/// Throws std::exception if the value of an answer or an input does not have the form of its kind.
void check_record(const json::object& record, DesktopTape& tape);

/// The name of a command in a recording: "observe", "ask", ...
[[nodiscard]] std::string_view name_of(const Command& command);

} // namespace eyehand::agent
