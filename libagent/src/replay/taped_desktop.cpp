#include "replay/taped_desktop.hpp"

#include "eyehand/base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace eyehand::agent {
namespace {

std::string in_quotes(std::string_view text, const DesktopTape& tape) {
    return to_text(json::value(tape.shown(text)));
}

/// As winio::to_string(Effect), but with the complete text.
std::string words_on(std::span<const winio::InputEvent> events, const DesktopTape& tape) {
    std::string words;
    const auto add = [&](const std::string& more) { words += (words.empty() ? "" : ", ") + more; };
    for (std::size_t at = 0; at < events.size();) {
        std::string typed;
        for (; at < events.size(); ++at) {
            const auto* scalar = std::get_if<winio::TypedScalar>(&events[at]);
            if (scalar == nullptr) break;
            base::utf8::append(typed, scalar->scalar);
        }
        if (typed.empty())
            add(winio::to_string(winio::Effect{winio::Batch{events[at++]}}));
        else
            add("type " + in_quotes(typed, tape));
    }
    return words;
}

DesktopParts parts_of(winio::Desktop& desktop) {
    DesktopParts parts;
    parts.windows = desktop.windows() != nullptr;
    if (const winio::Clipboard* clipboard = desktop.clipboard()) {
        parts.clipboard = true;
        parts.line_break = clipboard->line_break();
    }
    return parts;
}

} // namespace

TapedDesktop::TapedDesktop(DesktopTape& tape, winio::Desktop& inner)
    : tape_(tape), inner_(&inner), parts_(parts_of(inner)) {}

TapedDesktop::Execution::Execution(TapedDesktop& desktop) : desktop_(desktop) {
    desktop.executes_ = true;
    desktop.written_.reset();
    (void)desktop.tape_.answer(answers::execute, [] { return true; });
}

// ---- the desktop --------------------------------------------------------------------------------

std::vector<winio::Display> TapedDesktop::displays() {
    return tape_.answer(answers::displays, [&] { return inner_->displays(); });
}

std::unique_ptr<winio::Capturer> TapedDesktop::open_capturer(const winio::CaptureOptions& options) {
    if (inner_ == nullptr)
        throw winio::Error(winio::errc::not_supported, "a replay does not capture a screen");
    return inner_->open_capturer(options);
}

winio::SendReport TapedDesktop::send(std::span<const winio::InputEvent> events) {
    return tape_.input(words_on(events, tape_),
                       winio::SendReport{events.size(), events.size(), {}, {}},
                       [&] { return inner_->send(events); });
}

std::optional<winio::Point> TapedDesktop::pointer() {
    return tape_.answer(answers::pointer, [&] { return inner_->pointer(); });
}

void TapedDesktop::launch(const winio::LaunchCommand& command) {
    (void)tape_.input("launch " + in_quotes(command.command, tape_), true, [&] {
        inner_->launch(command);
        return true;
    });
}

/// Determines only waits, which a replay does not have.
std::chrono::milliseconds TapedDesktop::double_click_time() {
    return inner_ == nullptr ? std::chrono::milliseconds{0} : inner_->double_click_time();
}

bool TapedDesktop::busy() {
    return tape_.answer(answers::busy, [&] { return inner_->busy(); });
}

void TapedDesktop::renew_hold() {
    if (inner_ != nullptr) inner_->renew_hold();
}

std::unique_ptr<winio::UserWatch>
TapedDesktop::watch_user(const winio::UserWatchOptions& options,
                         std::function<void(winio::UserSignal)> call) {
    if (inner_ == nullptr) return winio::Desktop::watch_user(options, std::move(call));
    return inner_->watch_user(options, std::move(call));
}

// ---- windows ------------------------------------------------------------------------------------

std::vector<winio::WindowInfo> TapedDesktop::list() {
    return tape_.answer(answers::windows, [&] { return inner_->windows()->list(); });
}

std::optional<winio::Rect> TapedDesktop::control_at(winio::WindowId window, winio::Point at) {
    return tape_.answer(answers::control,
                        [&] { return inner_->windows()->control_at(window, at); });
}

std::vector<winio::PasswordField> TapedDesktop::password_fields() {
    return tape_.answer(answers::password_fields,
                        [&] { return inner_->windows()->password_fields(); });
}

void TapedDesktop::apply(const winio::WindowCommand& command) {
    (void)tape_.input(winio::to_string(winio::Effect{command}), true, [&] {
        inner_->windows()->apply(command);
        return true;
    });
}

// ---- the clipboard ------------------------------------------------------------------------------

/// The user's text is private: a plan only has to restore it.
RecordedText TapedDesktop::described(const std::string& text) {
    if (!executes_ || text.empty()) return {.text = text};
    if (written_ == text) return {.written = true};
    const auto known = std::ranges::find(others_, text);
    const auto number = static_cast<int>(known - others_.begin()) + 1;
    if (known == others_.end()) others_.push_back(text);
    return {.other = number};
}

std::string TapedDesktop::text_of(const RecordedText& text) const {
    if (text.text) return *text.text;
    if (text.written) return written_.value_or("");
    return fmt::format("text {} of the user", text.other);
}

std::string TapedDesktop::text() {
    std::string text;
    const RecordedText known = tape_.answer(answers::clipboard_text, [&] {
        text = inner_->clipboard()->text();
        return described(text);
    });
    if (inner_ != nullptr) return text;
    text = text_of(known);
    if (known.other > 0) (void)described(text);
    return text;
}

void TapedDesktop::set_text(std::string_view utf8) {
    const bool restores = written_ && std::ranges::find(others_, utf8) != others_.end();
    if (!restores) written_ = utf8;
    (void)tape_.input(restores ? "restore the text of the clipboard"
                               : "copy " + in_quotes(utf8, tape_),
                      true, [&] {
                          inner_->clipboard()->set_text(utf8);
                          return true;
                      });
}

/// In a replay, only the size is known.
std::optional<winio::Image> TapedDesktop::image() {
    std::optional<winio::Image> image;
    const auto size = tape_.answer(answers::clipboard_image, [&]() -> std::optional<winio::Size> {
        image = inner_->clipboard()->image();
        return image ? std::optional(image->size()) : std::nullopt;
    });
    if (inner_ == nullptr && size) image = winio::Image(*size);
    return image;
}

void TapedDesktop::set_image(const winio::ImageView& image) {
    (void)tape_.input(fmt::format("copy an image of {}x{}", image.width(), image.height()), true,
                      [&] {
                          inner_->clipboard()->set_image(image);
                          return true;
                      });
}

bool TapedDesktop::holds_other() {
    return tape_.answer(answers::clipboard_other,
                        [&] { return inner_->clipboard()->holds_other(); });
}

void TapedDesktop::clear() {
    (void)tape_.input("clear the clipboard", true, [&] {
        inner_->clipboard()->clear();
        return true;
    });
}

void TapedDesktop::set_text_to_restore(std::optional<std::string_view> text) noexcept {
    if (inner_ != nullptr) inner_->clipboard()->set_text_to_restore(text);
}

// ---- captures -----------------------------------------------------------------------------------

void TapedCapturer::capture(const winio::Rect& area, winio::Frame& into) {
    RecordedCapture result = tape_.answer(answers::capture, [&] {
        RecordedCapture capture{.frame = std::move(into)}; // reuses its memory
        try {
            inner_->capture(area, capture.frame);
        } catch (...) {
            into = std::move(capture.frame);
            throw;
        }
        capture.redacted = inner_->redacted();
        return capture;
    });
    into = std::move(result.frame);
    redacted_ = std::move(result.redacted);
}

} // namespace eyehand::agent
