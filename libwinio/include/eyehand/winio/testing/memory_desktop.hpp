// A desktop in memory, for tests of programs and tools that control a desktop.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/error.hpp"

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace eyehand::winio::testing {

enum class ClipboardUse { read, write };

/// A screen that the test paints. Records all input; `on_input` lets a test simulate the program
/// under the pointer.
///
///     MemoryDesktop desktop({1920, 1080});
///     desktop.on_input = [&](const InputEvent& event) { ... repaint desktop.screen() ... };
///
/// Threads: the functions of `Desktop`, `Windows` and `Clipboard` are thread-safe. They call `on_input`
/// and the other functions of the test on the caller's thread. While another thread uses the desktop,
/// everything else belongs into `change`: an `Agent` watches the screen while its model replies on a
/// second thread.
///
///     model.answer([&](const vlm::ChatRequest&) {
///         desktop.change([&] { desktop.screen().fill(button, red); });
///         ...
class EYEHAND_WINIO_API MemoryDesktop final : public Desktop, private Windows, private Clipboard {
public:
    /// One primary display at the origin.
    explicit MemoryDesktop(Size size = {1920, 1080});
    /// Any layout; the screen covers their bounding rectangle.
    explicit MemoryDesktop(std::vector<Display> displays);
    ~MemoryDesktop() override;

    // Desktop
    std::vector<Display> displays() override;
    std::unique_ptr<Capturer> open_capturer(const CaptureOptions& options) override;
    [[nodiscard]] SendReport send(std::span<const InputEvent> events) override;
    std::optional<Point> pointer() override;
    void launch(const LaunchCommand& command) override;
    std::chrono::milliseconds double_click_time() override;
    bool busy() override;
    Windows* windows() noexcept override { return this; }
    Clipboard* clipboard() noexcept override { return this; }

    /// Calls `edit` while no other thread captures the screen, sends input or uses windows or the
    /// clipboard.
    void change(const std::function<void()>& edit);

    // Set up by the test
    Image& screen() { return screen_; }
    void set_displays(std::vector<Display> displays);
    void set_windows(std::vector<WindowInfo> windows) { windows_ = std::move(windows); }
    void set_password_fields(std::vector<PasswordField> fields) {
        password_fields_ = std::move(fields);
    }
    void set_pointer_shape(std::optional<PointerShape> shape) { shape_ = std::move(shape); }
    /// Initially zero: two clicks are never a double-click, so tests of clicks need not wait.
    void set_double_click_time(std::chrono::milliseconds time) { double_click_time_ = time; }
    void set_busy(bool busy) { busy_ = busy; } ///< what `Desktop::busy` returns
    void set_line_break(std::string line_break) { line_break_ = std::move(line_break); }
    void put_other_on_clipboard();                       ///< neither text nor an image
    std::function<void(const InputEvent&)> on_input;     ///< after each accepted event
    std::function<void(const LaunchCommand&)> on_launch; ///< may throw
    /// Before each capture, to repaint `screen()` as time passes.
    std::function<void()> on_capture;
    std::function<void(const WindowCommand&)> on_window; ///< may throw
    std::function<void(ClipboardUse)> on_clipboard;      ///< before each use; may throw
    void fail_next_captures(errc code, int times) {
        capture_error_ = code;
        capture_failures_ = times;
    }
    /// Further events are refused until the limit is set again.
    void accept_at_most(std::size_t events) { budget_ = events; }
    void accept_everything() { budget_.reset(); }
    /// Deletes what was recorded (`events`, `launches`, `window_commands`), so that a test of many turns
    /// does not fill the memory. Keys and buttons that are held stay held.
    void clear_records();

    // Read by the test
    [[nodiscard]] const std::vector<InputEvent>& events() const { return events_; }
    [[nodiscard]] const std::vector<LaunchCommand>& launches() const { return launches_; }
    [[nodiscard]] const std::vector<WindowCommand>& window_commands() const { return commands_; }
    [[nodiscard]] std::string typed() const; ///< characters, Enter (as \n) and Tab; UTF-8
    [[nodiscard]] bool holds(Button button) const { return buttons_.contains(button); }
    [[nodiscard]] bool holds(const Key& key) const { return keys_.contains(key); }
    [[nodiscard]] bool holds_anything() const { return !buttons_.empty() || !keys_.empty(); }
    [[nodiscard]] int captures() const { return captures_; }
    /// What the latest `Clipboard::set_text_to_restore` has set.
    [[nodiscard]] const std::optional<std::string>& text_to_restore() const {
        return text_to_restore_;
    }
    /// The number of presses that a program would count as the second of a double-click: of the
    /// same button, within `double_click_time` of the previous press and at most 4 pixels away. A
    /// third press starts a new double-click, as on Windows.
    [[nodiscard]] int double_clicks() const { return double_clicks_; }

private:
    class MemoryCapturer;
    std::vector<WindowInfo> list() override;
    std::vector<PasswordField> password_fields() override;
    void apply(const WindowCommand& command) override;
    std::string text() override;
    void set_text(std::string_view utf8) override;
    std::optional<Image> image() override;
    void set_image(const ImageView& image) override;
    bool holds_other() override;
    void clear() override;
    void set_text_to_restore(std::optional<std::string_view> text) noexcept override;
    // Not locked: it returns a reference, and no test changes it during a run.
    [[nodiscard]] std::string_view line_break() const noexcept override { return line_break_; }
    void use_clipboard(ClipboardUse use) const;
    void clear_clipboard();
    void accept(const InputEvent& event);
    void count_double_click(Button button);

    std::recursive_mutex mutex_; // recursive: `change` may use the functions of Desktop
    std::vector<Display> displays_;
    Rect bounds_;
    Image screen_;
    std::vector<WindowInfo> windows_;
    std::vector<PasswordField> password_fields_;
    std::optional<PointerShape> shape_;
    Point pointer_;
    std::string clipboard_;
    std::optional<std::string> text_to_restore_;
    std::optional<Image> clipboard_image_;
    bool clipboard_other_ = false;
    std::string line_break_ = "\n";
    bool busy_ = false;
    struct Click {
        Button button{};
        Point at{};
        std::chrono::steady_clock::time_point when{};
    };
    std::chrono::milliseconds double_click_time_{0};
    std::optional<Click> latest_click_;
    int double_clicks_ = 0;
    errc capture_error_{};
    int capture_failures_ = 0;
    int captures_ = 0;
    std::optional<std::size_t> budget_;
    std::vector<InputEvent> events_;
    std::vector<LaunchCommand> launches_;
    std::vector<WindowCommand> commands_;
    std::set<Button> buttons_;
    std::set<Key> keys_;
};

} // namespace eyehand::winio::testing
