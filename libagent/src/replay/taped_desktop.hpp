// The desktop of a run that is recorded or replayed.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/redaction.hpp"
#include "replay/desktop_tape.hpp"

#include <memory>
#include <string>
#include <vector>

namespace eyehand::agent {

/// What a desktop supports.
struct DesktopParts {
    bool windows = false;
    bool clipboard = false;
    std::string line_break = "\n";
};

/// Passes each call to another desktop and records question and answer, or answers from a recording.
/// Captures are recorded by `TapedCapturer`, because only redacted frames may be recorded.
class TapedDesktop final : public winio::Desktop, private winio::Windows, private winio::Clipboard {
public:
    /// Records `inner`. Both must outlive this object.
    TapedDesktop(DesktopTape& tape, winio::Desktop& inner);
    /// Replays.
    TapedDesktop(DesktopTape& tape, DesktopParts parts)
        : tape_(tape), inner_(nullptr), parts_(std::move(parts)) {}

    [[nodiscard]] const DesktopParts& parts() const { return parts_; }
    /// While it exists, a plan is executed, and the user's text in the clipboard is not recorded.
    class Execution {
    public:
        explicit Execution(TapedDesktop& desktop);
        ~Execution() { desktop_.executes_ = false; }
        Execution(const Execution&) = delete;
        Execution& operator=(const Execution&) = delete;

    private:
        TapedDesktop& desktop_;
    };

    std::vector<winio::Display> displays() override;
    /// Not recorded; throws Error{not_supported} in a replay.
    std::unique_ptr<winio::Capturer> open_capturer(const winio::CaptureOptions& options) override;
    [[nodiscard]] winio::SendReport send(std::span<const winio::InputEvent> events) override;
    std::optional<winio::Point> pointer() override;
    void launch(const winio::LaunchCommand& command) override;
    std::chrono::milliseconds double_click_time() override;
    bool busy() override;
    void renew_hold() override;
    [[nodiscard]] std::unique_ptr<winio::UserWatch>
    watch_user(const winio::UserWatchOptions& options,
               std::function<void(winio::UserSignal)> call) override;
    winio::Windows* windows() noexcept override { return parts_.windows ? this : nullptr; }
    winio::Clipboard* clipboard() noexcept override { return parts_.clipboard ? this : nullptr; }

private:
    // Windows
    std::vector<winio::WindowInfo> list() override;
    std::optional<winio::Rect> control_at(winio::WindowId window, winio::Point at) override;
    std::vector<winio::PasswordField> password_fields() override;
    void apply(const winio::WindowCommand& command) override;
    // Clipboard
    std::string text() override;
    void set_text(std::string_view utf8) override;
    std::optional<winio::Image> image() override;
    void set_image(const winio::ImageView& image) override;
    bool holds_other() override;
    void clear() override;
    void set_text_to_restore(std::optional<std::string_view> text) noexcept override;
    [[nodiscard]] std::string_view line_break() const noexcept override {
        return parts_.line_break;
    }

    [[nodiscard]] RecordedText described(const std::string& text);
    [[nodiscard]] std::string text_of(const RecordedText& text) const;

    DesktopTape& tape_;
    winio::Desktop* inner_; ///< nullptr in a replay
    DesktopParts parts_;
    bool executes_ = false;
    std::optional<std::string> written_; ///< by the present plan
    std::vector<std::string> others_;    ///< texts of the user; only their numbers are recorded
};

/// Captures with a redacting capturer and records the redacted frame, or returns recorded ones.
class TapedCapturer final : public winio::Capturer {
public:
    /// `inner`: null in a replay.
    TapedCapturer(DesktopTape& tape, std::unique_ptr<winio::RedactingCapturer> inner)
        : tape_(tape), inner_(std::move(inner)) {}

    void capture(const winio::Rect& area, winio::Frame& into) override;
    /// As `winio::RedactingCapturer::redacted`.
    [[nodiscard]] const std::vector<winio::Rect>& redacted() const { return redacted_; }

private:
    DesktopTape& tape_;
    std::unique_ptr<winio::RedactingCapturer> inner_;
    std::vector<winio::Rect> redacted_;
};

} // namespace eyehand::agent
