#include "eyehand/winio/testing/memory_desktop.hpp"

#include "../check_text.hpp"
#include "../latest_capture.hpp"
#include "eyehand/base/utf8.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace eyehand::winio::testing {
namespace {

Rect bounds_of(const std::vector<Display>& displays) {
    Rect bounds;
    for (const Display& display : displays) bounds = bounding_rect(bounds, display.bounds);
    return bounds;
}

template <typename Set, typename Value>
void press(Set& held, const Value& value, Press change) {
    if (change == Press::down)
        held.insert(value);
    else
        held.erase(value);
}

} // namespace

class MemoryDesktop::MemoryCapturer final : public Capturer {
public:
    MemoryCapturer(MemoryDesktop& desktop, const CaptureOptions& options)
        : desktop_(desktop), options_(options) {}

    void capture(const Rect& area, Frame& into) override {
        if (area.empty()) throw std::invalid_argument("an empty area cannot be captured");
        if (desktop_.on_capture) desktop_.on_capture();
        const std::lock_guard lock(desktop_.mutex_);
        if (desktop_.capture_failures_ > 0) {
            --desktop_.capture_failures_;
            throw Error(desktop_.capture_error_, "the test made this capture fail");
        }
        if (desktop_.displays_.empty())
            throw Error(errc::no_display, "this session has no display");
        into.origin = area.origin();
        into.pixels.resize(area.size());
        copy_screen(area, into.pixels);
        into.pointer.reset();
        if (options_.pointer && desktop_.shape_) {
            into.pointer = desktop_.shape_;
            into.pointer->position = desktop_.pointer_;
        }
        ++desktop_.captures_;
    }

private:
    void copy_screen(const Rect& area, Image& into) {
        const Rect& bounds = desktop_.bounds_;
        const Rect visible = intersection(area, bounds);
        const ImageView source = desktop_.screen_.view().crop(
            {visible.x - bounds.x, visible.y - bounds.y, visible.width, visible.height});
        if (visible == area) {
            latest_.begin(area.size());
            latest_.take(source, 0);
            latest_.give(into);
            return;
        }
        into.fill({0, 0, area.width, area.height}, Color{});
        into.copy_from(source, {visible.x - area.x, visible.y - area.y});
    }

    MemoryDesktop& desktop_;
    CaptureOptions options_;
    LatestCapture latest_;
};

MemoryDesktop::MemoryDesktop(Size size)
    : MemoryDesktop(std::vector<Display>{{.id = "1",
                                          .name = "memory",
                                          .bounds = {0, 0, size.width, size.height},
                                          .primary = true}}) {}

MemoryDesktop::MemoryDesktop(std::vector<Display> displays) { set_displays(std::move(displays)); }
MemoryDesktop::~MemoryDesktop() = default;

void MemoryDesktop::change(const std::function<void()>& edit) {
    const std::lock_guard lock(mutex_);
    edit();
}

void MemoryDesktop::set_displays(std::vector<Display> displays) {
    displays_ = std::move(displays);
    bounds_ = bounds_of(displays_);
    screen_ = Image(bounds_.size());
}

std::vector<Display> MemoryDesktop::displays() {
    const std::lock_guard lock(mutex_);
    return displays_;
}

std::chrono::milliseconds MemoryDesktop::double_click_time() {
    const std::lock_guard lock(mutex_);
    return double_click_time_;
}

bool MemoryDesktop::busy() {
    const std::lock_guard lock(mutex_);
    return busy_;
}

std::unique_ptr<Capturer> MemoryDesktop::open_capturer(const CaptureOptions& options) {
    return std::make_unique<MemoryCapturer>(*this, options);
}

SendReport MemoryDesktop::send(std::span<const InputEvent> events) {
    SendReport report;
    report.sent = events.size();
    // Determined before the first event, so that a change by `on_input` affects only the next
    // batch.
    std::size_t allowed = 0;
    change([&] {
        allowed = std::min(budget_.value_or(events.size()), events.size());
        if (budget_) *budget_ -= allowed;
    });
    for (const InputEvent& event : events.first(allowed)) {
        accept(event);
        ++report.accepted;
        if (on_input) on_input(event);
    }
    if (!report.complete()) {
        report.problem = "the test made the desktop refuse this input";
        report.error = errc::input_refused;
    }
    return report;
}

void MemoryDesktop::accept(const InputEvent& event) {
    const std::lock_guard lock(mutex_);
    if (const auto* move = std::get_if<PointerMove>(&event); move != nullptr && !bounds_.empty())
        pointer_ = {std::clamp(move->to.x, bounds_.x, bounds_.right() - 1),
                    std::clamp(move->to.y, bounds_.y, bounds_.bottom() - 1)};
    if (const auto* button = std::get_if<ButtonChange>(&event)) {
        press(buttons_, button->button, button->press);
        if (button->press == Press::down) count_double_click(button->button);
    }
    if (const auto* key = std::get_if<KeyChange>(&event)) press(keys_, key->key, key->press);
    events_.push_back(event);
}

void MemoryDesktop::clear_records() {
    events_.clear();
    launches_.clear();
    commands_.clear();
}

void MemoryDesktop::count_double_click(Button button) {
    constexpr int tolerance = 4;
    const Click click{button, pointer_, std::chrono::steady_clock::now()};
    const bool is_second = latest_click_ && latest_click_->button == button &&
                           std::abs(latest_click_->at.x - click.at.x) <= tolerance &&
                           std::abs(latest_click_->at.y - click.at.y) <= tolerance &&
                           click.when - latest_click_->when < double_click_time_;
    if (is_second) ++double_clicks_;
    latest_click_ = is_second ? std::nullopt : std::optional(click);
}

std::optional<Point> MemoryDesktop::pointer() {
    const std::lock_guard lock(mutex_);
    return pointer_;
}

void MemoryDesktop::launch(const LaunchCommand& command) {
    if (command.command.empty()) throw Error(errc::launch_failed, "the command is empty");
    check_text(command.command, "the command");
    if (on_launch) on_launch(command);
    const std::lock_guard lock(mutex_);
    launches_.push_back(command);
}

std::string MemoryDesktop::typed() const {
    std::string text;
    for (const InputEvent& event : events_) {
        if (const auto* scalar = std::get_if<TypedScalar>(&event))
            base::utf8::append(text, scalar->scalar);
        else if (event == InputEvent{KeyChange{NamedKey::enter, Press::down}})
            text += '\n';
        else if (event == InputEvent{KeyChange{NamedKey::tab, Press::down}})
            text += '\t';
    }
    return text;
}

void MemoryDesktop::clear_clipboard() {
    clipboard_.clear();
    clipboard_image_.reset();
    clipboard_other_ = false;
}

void MemoryDesktop::put_other_on_clipboard() {
    clear_clipboard();
    clipboard_other_ = true;
}

void MemoryDesktop::clear() {
    use_clipboard(ClipboardUse::write);
    const std::lock_guard lock(mutex_);
    clear_clipboard();
}

void MemoryDesktop::use_clipboard(ClipboardUse use) const {
    if (on_clipboard) on_clipboard(use);
}

std::string MemoryDesktop::text() {
    use_clipboard(ClipboardUse::read);
    const std::lock_guard lock(mutex_);
    return clipboard_;
}

std::optional<Image> MemoryDesktop::image() {
    use_clipboard(ClipboardUse::read);
    const std::lock_guard lock(mutex_);
    return clipboard_image_;
}

void MemoryDesktop::set_text(std::string_view utf8) {
    check_text(utf8, "the clipboard's text");
    use_clipboard(ClipboardUse::write);
    const std::lock_guard lock(mutex_);
    clear_clipboard();
    clipboard_ = utf8;
}

void MemoryDesktop::set_image(const ImageView& image) {
    if (image.empty()) throw std::invalid_argument("an empty image cannot be copied");
    use_clipboard(ClipboardUse::write);
    const std::lock_guard lock(mutex_);
    clear_clipboard();
    clipboard_image_ = Image(image);
    for (int y = 0; y < image.height(); ++y) {
        const auto row = clipboard_image_->row(y);
        for (std::size_t at = 3; at < row.size(); at += 4) row[at] = 255;
    }
}

bool MemoryDesktop::holds_other() {
    const std::lock_guard lock(mutex_);
    return clipboard_other_;
}

void MemoryDesktop::set_text_to_restore(std::optional<std::string_view> text) noexcept {
    const std::lock_guard lock(mutex_);
    text_to_restore_ = text;
}

std::vector<WindowInfo> MemoryDesktop::list() {
    const std::lock_guard lock(mutex_);
    return windows_;
}

std::vector<PasswordField> MemoryDesktop::password_fields() {
    const std::lock_guard lock(mutex_);
    return password_fields_;
}

void MemoryDesktop::apply(const WindowCommand& command) {
    const auto find = [&] { return std::ranges::find(windows_, command.window, &WindowInfo::id); };
    change([&] {
        if (find() == windows_.end()) throw Error(errc::window_not_found, "no window has this id");
    });
    if (on_window) on_window(command);
    const std::lock_guard lock(mutex_);
    commands_.push_back(command);
    const auto found = find();
    if (found == windows_.end()) return; // on_window has removed it
    switch (command.action) {
    case WindowAction::focus:
        for (WindowInfo& window : windows_) window.foreground = false;
        found->foreground = true;
        if (found->state == WindowState::minimized) found->state = WindowState::normal;
        std::rotate(windows_.begin(), found, found + 1);
        break;
    case WindowAction::move:
        found->bounds = command.to;
        break;
    case WindowAction::close:
        windows_.erase(found);
        break;
    }
}

} // namespace eyehand::winio::testing
