#include "eyehand/winio/testing/check_desktop.hpp"

#include "eyehand/base/utf8.hpp"
#include "eyehand/winio/frame_diff.hpp"
#include "poll.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace eyehand::winio::testing {
namespace {

enum class Requirement {
    lists_displays,
    display_ids,
    display_bounds,
    display_dpi,
    one_primary_display,
    stable_displays,
    double_click_time,
    opens_capturer,
    frame_geometry,
    whole_displays,
    captures_agree,
    black_outside,
    reused_memory,
    no_pointer_unless_requested,
    pointer_shape,
    empty_area_refused,
    huge_area_refused,
    capture_after_refusal,
    empty_batch,
    send_report,
    pointer_follows,
    batch_order,
    pointer_in_frame,
    empty_launch_refused,
    bad_launch_text_refused,
    window_ids,
    window_texts,
    window_processes,
    window_opaque_part,
    one_foreground_window,
    stable_windows,
    unknown_window_refused,
    focused_window_on_top,
    line_break,
    restorable_clipboard,
    text_round_trip,
    bad_text_refused,
    image_round_trip,
    opaque_image,
    empty_image_refused,
    image_replaces_text,
    text_replaces_image,
    no_other_content,
    clear,
};

struct Entry {
    Requirement requirement;
    const char* text;
};

// In the order of the enumerators, so that a requirement's value finds its entry.
constexpr std::array entries{
    Entry{Requirement::lists_displays, "displays: at least one display is listed"},
    Entry{Requirement::display_ids, "displays: each has a unique id"},
    Entry{Requirement::display_bounds, "displays: bounds are not empty"},
    Entry{Requirement::display_dpi, "displays: the DPI is positive"},
    Entry{Requirement::one_primary_display, "displays: exactly one is primary"},
    Entry{Requirement::stable_displays, "displays: two calls list the same"},
    Entry{Requirement::double_click_time, "double-click time: it is not negative"},
    Entry{Requirement::opens_capturer, "capture: a capturer opens"},
    Entry{Requirement::frame_geometry,
          "capture: the frame has the size and origin of the area, which may change between calls"},
    Entry{Requirement::whole_displays, "capture: the whole of each display can be captured"},
    Entry{Requirement::captures_agree, "capture: a part shows the same pixels as the whole"},
    Entry{Requirement::black_outside, "capture: pixels outside the desktop are black"},
    Entry{Requirement::reused_memory, "capture: the frame's memory is reused"},
    Entry{Requirement::no_pointer_unless_requested,
          "capture: the frame has no pointer unless it is requested"},
    Entry{
        Requirement::pointer_shape,
        "capture: the pointer's hotspot is within its pixels, and its invert mask is empty or has "
        "one byte per pixel"},
    Entry{Requirement::empty_area_refused, "capture: an empty area throws std::invalid_argument"},
    Entry{Requirement::huge_area_refused,
          "capture: an area larger than the maximum of an image throws std::invalid_argument"},
    Entry{Requirement::capture_after_refusal,
          "capture: a refused area does not affect later calls"},
    Entry{Requirement::empty_batch, "input: an empty batch is complete, with nothing sent"},
    Entry{Requirement::send_report,
          "input: the report counts the batch's events, and has an error and a problem if and only "
          "if it is not complete"},
    Entry{Requirement::pointer_follows, "input: the pointer goes to the target of a move"},
    Entry{Requirement::batch_order, "input: all events of a batch take effect, in order"},
    Entry{Requirement::pointer_in_frame, "capture: the frame's pointer is where the pointer is"},
    Entry{Requirement::empty_launch_refused,
          "launch: an empty command throws Error{launch_failed} or Error{not_supported}"},
    Entry{Requirement::bad_launch_text_refused,
          "launch: a command that is not UTF-8 or has a NUL character throws "
          "std::invalid_argument or Error{not_supported}"},
    Entry{Requirement::window_ids, "windows: each has a unique id"},
    Entry{Requirement::window_texts, "windows: titles, classes and processes are UTF-8"},
    Entry{Requirement::window_processes, "windows: the process is a file name without a folder"},
    Entry{Requirement::window_opaque_part, "windows: the opaque part is within the bounds"},
    Entry{Requirement::one_foreground_window, "windows: at most one is in the foreground"},
    Entry{Requirement::stable_windows, "windows: two calls list the same ones in the same order"},
    Entry{Requirement::unknown_window_refused,
          "windows: a command for an unknown window throws Error{window_not_found}"},
    Entry{Requirement::focused_window_on_top,
          "windows: a focused window is in the foreground, and listed before the one that was"},
    Entry{Requirement::line_break, "clipboard: the line break is \"\\n\", \"\\r\\n\" or \"\\r\""},
    Entry{Requirement::restorable_clipboard, "clipboard: its content can be read and restored"},
    Entry{Requirement::text_round_trip, "clipboard: text comes back unchanged"},
    Entry{Requirement::bad_text_refused,
          "clipboard: text that is not UTF-8 or has a NUL character throws std::invalid_argument"},
    Entry{Requirement::image_round_trip, "clipboard: an image comes back with its colors"},
    Entry{Requirement::opaque_image, "clipboard: an image comes back opaque"},
    Entry{Requirement::empty_image_refused,
          "clipboard: an empty image throws std::invalid_argument"},
    Entry{Requirement::image_replaces_text, "clipboard: an image replaces text"},
    Entry{Requirement::text_replaces_image, "clipboard: text replaces an image"},
    Entry{Requirement::no_other_content,
          "clipboard: text and images that it can read do not count as other content"},
    Entry{Requirement::clear, "clipboard: it is empty after clear"},
};

static_assert([] {
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (static_cast<std::size_t>(entries[i].requirement) != i) return false;
    return static_cast<std::size_t>(Requirement::clear) + 1 == entries.size();
}());

const char* text_of(Requirement requirement) {
    return entries[static_cast<std::size_t>(requirement)].text;
}

/// The observed behavior; empty if the requirement is met.
using Observed = std::string;

std::string described(Point point) {
    return "(" + std::to_string(point.x) + ", " + std::to_string(point.y) + ")";
}
std::string described(Size size) {
    return std::to_string(size.width) + "x" + std::to_string(size.height);
}
std::string described(const Rect& rect) {
    return described(rect.size()) + " at " + described(rect.origin());
}
std::string in_quotes(std::string_view text) { return "\"" + std::string(text) + "\""; }

/// Call it while an exception is handled.
Observed describe_exception() {
    try {
        throw;
    } catch (const Error& error) {
        const std::error_code& code = error.code();
        const std::string name = code.category() == error_category()
                                     ? std::string(to_string(static_cast<errc>(code.value())))
                                     : code.message();
        return "threw Error{" + name + "}: " + error.what();
    } catch (const std::invalid_argument& error) {
        return std::string("threw std::invalid_argument: ") + error.what();
    } catch (const std::exception& error) {
        return std::string("threw an exception: ") + error.what();
    } catch (...) {
        return "threw an exception that is not a std::exception";
    }
}

template <typename Action>
Observed unless_invalid_argument(Action action) {
    try {
        action();
        return "no exception";
    } catch (const std::invalid_argument&) {
        return {};
    } catch (...) {
        return describe_exception();
    }
}

template <typename Action>
Observed unless_error(std::initializer_list<errc> allowed, Action action) {
    try {
        action();
        return "no exception";
    } catch (const Error& error) {
        const bool is_allowed =
            std::ranges::any_of(allowed, [&](errc code) { return error.code() == code; });
        return is_allowed ? Observed() : describe_exception();
    } catch (...) {
        return describe_exception();
    }
}

/// Texts that every function must refuse.
std::array<std::string, 2> bad_texts() { return {"caf\xe9", std::string("a\0b", 3)}; }

bool is_color(Color a, Color b) { return a.blue == b.blue && a.green == b.green && a.red == b.red; }

/// A frame with content that a capture must overwrite.
Frame used_frame(Size size) {
    Frame frame;
    frame.pixels = Image(size);
    frame.pixels.fill({0, 0, size.width, size.height}, {255, 255, 255, 255});
    frame.pointer =
        PointerShape{.position = {}, .hotspot = {}, .pixels = Image({1, 1}), .invert = {}};
    return frame;
}

bool same_display(const Display& a, const Display& b) {
    return a.id == b.id && a.name == b.name && a.bounds == b.bounds && a.dpi == b.dpi &&
           a.primary == b.primary;
}

class Checker {
public:
    Checker(Desktop& desktop, const CheckDesktopOptions& options)
        : desktop_(desktop), options_(options) {}

    std::vector<Finding> run() {
        check_displays();
        if (!displays_.empty()) {
            check_capture();
            check_input();
        }
        check_launch();
        if (Windows* windows = desktop_.windows()) check_windows(*windows);
        if (Clipboard* clipboard = desktop_.clipboard()) check_clipboard(*clipboard);
        return std::move(findings_);
    }

private:
    /// Records at most one finding for each requirement. Returns whether this call recorded none.
    bool check(Requirement requirement, const std::function<Observed()>& observe) {
        Observed observed;
        try {
            observed = observe();
        } catch (...) {
            observed = describe_exception();
        }
        if (observed.empty()) return true;
        const std::string text = text_of(requirement);
        if (std::ranges::find(findings_, text, &Finding::requirement) == findings_.end())
            findings_.push_back({text, std::move(observed)});
        return false;
    }

    template <typename Condition>
    bool eventually(Condition condition) {
        return poll(options_.timeout, condition);
    }

    // --- displays ---

    void check_displays() {
        check(Requirement::lists_displays, [&]() -> Observed {
            displays_ = desktop_.displays();
            return displays_.empty() ? "no display; the rest of the check needs one" : "";
        });
        if (displays_.empty()) return;
        for (const Display& display : displays_) {
            check(Requirement::display_ids, [&]() -> Observed {
                if (display.id.empty()) return "an empty id";
                const auto same = std::ranges::count(displays_, display.id, &Display::id);
                return same == 1 ? ""
                                 : std::to_string(same) + " with the id " + in_quotes(display.id);
            });
            check(Requirement::display_bounds, [&]() -> Observed {
                return display.bounds.empty()
                           ? in_quotes(display.id) + ": " + described(display.bounds)
                           : "";
            });
            check(Requirement::display_dpi, [&]() -> Observed {
                return display.dpi > 0 ? ""
                                       : in_quotes(display.id) + ": " + std::to_string(display.dpi);
            });
        }
        check(Requirement::one_primary_display, [&]() -> Observed {
            const auto primaries = std::ranges::count(displays_, true, &Display::primary);
            return primaries == 1 ? "" : std::to_string(primaries) + " are";
        });
        check(Requirement::stable_displays, [&]() -> Observed {
            const std::vector<Display> again = desktop_.displays();
            return std::ranges::equal(displays_, again, same_display) ? "" : "they differ";
        });
        check(Requirement::double_click_time, [&]() -> Observed {
            const auto time = desktop_.double_click_time().count();
            return time >= 0 ? "" : std::to_string(time) + " ms";
        });
    }

    [[nodiscard]] Rect desktop_bounds() const {
        Rect bounds;
        for (const Display& display : displays_) bounds = bounding_rect(bounds, display.bounds);
        return bounds;
    }

    // --- capture ---

    void check_capture() {
        std::unique_ptr<Capturer> opened;
        const bool is_open = check(Requirement::opens_capturer, [&]() -> Observed {
            opened = desktop_.open_capturer({.pointer = false});
            return opened ? "" : "nullptr";
        });
        if (!is_open) return;
        Capturer& capturer = *opened;
        check_frame_geometry(capturer);
        check_pixels(capturer);
        check_reused_memory(capturer);
        check_frame_pointer(capturer);
        check_refused_areas(capturer);
    }

    void check_frame_geometry(Capturer& capturer) {
        const Rect& first = displays_.front().bounds;
        Frame frame;
        for (const Rect& area : {Rect{first.x + 10, first.y + 20, 33, 17},
                                 Rect{first.x, first.y, 64, 48}, Rect{first.x + 8, first.y, 16, 8}})
            check(Requirement::frame_geometry, [&] { return misplaced(capturer, area, frame); });
        for (const Display& display : displays_)
            check(Requirement::whole_displays,
                  [&] { return misplaced(capturer, display.bounds, frame); });
    }

    static Observed misplaced(Capturer& capturer, const Rect& area, Frame& frame) {
        capturer.capture(area, frame);
        if (frame.pixels.size() == area.size() && frame.origin == area.origin()) return {};
        return described(frame.pixels.size()) + " at " + described(frame.origin) + " instead of " +
               described(area);
    }

    void check_pixels(Capturer& capturer) {
        check(Requirement::captures_agree, [&]() -> Observed {
            const Rect& whole_area = displays_.front().bounds;
            const Rect part{whole_area.width / 4, whole_area.height / 3,
                            std::max(1, whole_area.width / 2), std::max(1, whole_area.height / 2)};
            const Rect part_area{whole_area.x + part.x, whole_area.y + part.y, part.width,
                                 part.height};
            Frame whole;
            Frame detail;
            // The screen may change between the two.
            const bool agree = eventually([&] {
                capturer.capture(whole_area, whole);
                capturer.capture(part_area, detail);
                return whole.pixels.size() == whole_area.size() &&
                       detail.pixels.size() == part_area.size() &&
                       same_pixels(whole.pixels.view().crop(part), detail.pixels.view());
            });
            return agree ? ""
                         : described(part_area) + " differs from that part of " +
                               described(whole_area);
        });
        const Rect all = desktop_bounds();
        constexpr int width = 20;
        // Right of the desktop, and half outside.
        for (const int x : {all.right() + 100, all.right() - width / 2})
            check(Requirement::black_outside, [&]() -> Observed {
                Frame frame = used_frame({width, width});
                capturer.capture({x, all.y, width, width}, frame);
                for (int row = 0; row < frame.pixels.height(); ++row)
                    for (int column = std::max(0, all.right() - x); column < frame.pixels.width();
                         ++column)
                        if (!is_color(frame.pixels.at(column, row), Color{}))
                            return "another color at " + described(Point{x + column, all.y + row});
                return {};
            });
    }

    void check_reused_memory(Capturer& capturer) {
        check(Requirement::reused_memory, [&]() -> Observed {
            const Rect& first = displays_.front().bounds;
            Frame frame;
            capturer.capture({first.x, first.y, 64, 48}, frame);
            const auto* memory = frame.pixels.data();
            for (const Size size : {Size{64, 48}, Size{32, 16}, Size{64, 48}}) {
                capturer.capture({first.x, first.y, size.width, size.height}, frame);
                if (frame.pixels.data() != memory)
                    return "new memory for " + described(size) + " pixels";
            }
            return {};
        });
    }

    void check_frame_pointer(Capturer& without_pointer) {
        const Rect& first = displays_.front().bounds;
        const Rect area{first.x, first.y, 16, 16};
        check(Requirement::no_pointer_unless_requested, [&]() -> Observed {
            Frame frame = used_frame(area.size());
            without_pointer.capture(area, frame);
            return frame.pointer ? "a pointer" : "";
        });
        check(Requirement::pointer_shape, [&]() -> Observed {
            const auto capturer = desktop_.open_capturer({.pointer = true});
            if (!capturer) return "no capturer opens";
            Frame frame;
            capturer->capture(area, frame);
            if (!frame.pointer) return {};
            const PointerShape& shape = *frame.pointer;
            const Size size = shape.pixels.size();
            if (!Rect{0, 0, size.width, size.height}.contains(shape.hotspot))
                return "a hotspot at " + described(shape.hotspot) + " of " + described(size) +
                       " pixels";
            const std::size_t pixels =
                static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
            return shape.invert.empty() || shape.invert.size() == pixels
                       ? ""
                       : "an invert mask of " + std::to_string(shape.invert.size()) +
                             " bytes for " + described(size) + " pixels";
        });
    }

    void check_refused_areas(Capturer& capturer) {
        const Rect& first = displays_.front().bounds;
        Frame frame;
        for (const Size size : {Size{0, 5}, Size{5, 0}, Size{-5, 5}, Size{5, -5}})
            check(Requirement::empty_area_refused, [&]() -> Observed {
                const Observed observed = unless_invalid_argument([&] {
                    capturer.capture({first.x, first.y, size.width, size.height}, frame);
                });
                return observed.empty() ? observed : described(size) + ": " + observed;
            });
        constexpr int largest = std::numeric_limits<int>::max();
        check(Requirement::huge_area_refused, [&] {
            return unless_invalid_argument([&] {
                capturer.capture({0, 0, largest, largest}, frame);
            });
        });
        check(Requirement::capture_after_refusal, [&] {
            return misplaced(capturer, {first.x, first.y, 16, 16}, frame);
        });
    }

    // --- input ---

    void check_input() {
        check(Requirement::empty_batch, [&]() -> Observed {
            const SendReport report = desktop_.send({});
            return report.sent == 0 && report.accepted == 0 && !report.error &&
                           report.problem.empty()
                       ? ""
                       : describe(report);
        });
        if (!options_.moves_pointer) return;
        std::optional<Point> before;
        check(Requirement::pointer_follows, [&]() -> Observed {
            before = desktop_.pointer();
            return {};
        });
        for (const Display& display : displays_) {
            const Rect& bounds = display.bounds;
            const Point center{bounds.x + bounds.width / 2, bounds.y + bounds.height / 2};
            for (const Point to : {bounds.origin(), Point{bounds.right() - 1, bounds.y},
                                   Point{bounds.x, bounds.bottom() - 1},
                                   Point{bounds.right() - 1, bounds.bottom() - 1}, center})
                check_move({PointerMove{to}}, to, Requirement::pointer_follows);
        }
        const Rect& first = displays_.front().bounds;
        const Point there{first.x + first.width / 3, first.y + first.height / 4};
        check_move({PointerMove{first.origin()}, PointerMove{there}}, there,
                   Requirement::batch_order);
        check_pointer_in_frame();
        if (before) check_move({PointerMove{*before}}, *before, Requirement::pointer_follows);
    }

    static std::string describe(const SendReport& report) {
        return std::to_string(report.accepted) + " of " + std::to_string(report.sent) +
               " accepted, error " + in_quotes(report.error ? report.error.message() : "") +
               ", problem " + in_quotes(report.problem);
    }

    void check_move(const Batch& batch, Point target, Requirement arrival) {
        std::optional<SendReport> report;
        check(Requirement::send_report, [&]() -> Observed {
            report = desktop_.send(batch);
            const bool has_reason = report->error && !report->problem.empty();
            const bool has_no_reason = !report->error && report->problem.empty();
            return report->sent == batch.size() && report->accepted <= report->sent &&
                           (report->complete() ? has_no_reason : has_reason)
                       ? ""
                       : describe(*report) + ", of a batch of " + std::to_string(batch.size());
        });
        if (!report) return;
        check(arrival, [&]() -> Observed {
            if (!report->complete()) return describe(*report);
            std::optional<Point> at;
            const bool has_arrived = eventually([&] {
                at = desktop_.pointer();
                return !at || *at == target; // a back-end may not know the position
            });
            return has_arrived ? "" : described(*at) + " after a move to " + described(target);
        });
    }

    void check_pointer_in_frame() {
        check(Requirement::pointer_in_frame, [&]() -> Observed {
            const auto capturer = desktop_.open_capturer({.pointer = true});
            if (!capturer) return "no capturer opens";
            const Rect& first = displays_.front().bounds;
            Frame frame;
            std::optional<Point> at;
            const bool agree = eventually([&] {
                at = desktop_.pointer();
                capturer->capture({first.x, first.y, 16, 16}, frame);
                return !at || !frame.pointer || frame.pointer->position == *at;
            });
            return agree ? ""
                         : described(frame.pointer->position) + " instead of " + described(*at);
        });
    }

    // --- launch ---

    void check_launch() {
        check(Requirement::empty_launch_refused, [&] {
            return unless_error({errc::launch_failed, errc::not_supported},
                                [&] { desktop_.launch({""}); });
        });
        for (const std::string& text : bad_texts())
            check(Requirement::bad_launch_text_refused, [&] {
                return unless_invalid_argument([&] {
                    try {
                        desktop_.launch({text});
                    } catch (const Error& error) {
                        if (error.code() != errc::not_supported) throw;
                        throw std::invalid_argument("allowed, too");
                    }
                });
            });
    }

    // --- windows ---

    void check_windows(Windows& windows) {
        std::vector<WindowInfo> all;
        check(Requirement::stable_windows, [&]() -> Observed {
            // A window may open between the two.
            const bool same = eventually([&] {
                all = windows.list();
                return std::ranges::equal(all, windows.list(), {}, &WindowInfo::id,
                                          &WindowInfo::id);
            });
            return same ? "" : "they differ";
        });
        for (const WindowInfo& window : all) {
            check(Requirement::window_ids, [&]() -> Observed {
                const auto same = std::ranges::count(all, window.id, &WindowInfo::id);
                return same == 1 ? "" : std::to_string(same) + " have the same id";
            });
            check(Requirement::window_texts, [&]() -> Observed {
                for (const std::string* text :
                     {&window.title, &window.window_class, &window.process})
                    if (base::utf8::first_invalid(*text)) return in_quotes(*text);
                return {};
            });
            check(Requirement::window_processes, [&]() -> Observed {
                const bool has_folder = window.process.find_first_of("/\\") != std::string::npos;
                return has_folder ? in_quotes(window.process) : "";
            });
            check(Requirement::window_opaque_part, [&]() -> Observed {
                const Rect& part = window.opaque;
                return part.empty() || intersection(part, window.bounds) == part ? ""
                                                                                 : described(part);
            });
        }
        check(Requirement::one_foreground_window, [&]() -> Observed {
            const auto count = std::ranges::count(all, true, &WindowInfo::foreground);
            return count <= 1 ? "" : std::to_string(count) + " are";
        });
        check_unknown_window(windows, all);
        if (options_.changes_focus) check_focus(windows, all);
    }

    // Only `focus`, in case a window has the id although it is not listed.
    void check_unknown_window(Windows& windows, const std::vector<WindowInfo>& all) {
        std::uintptr_t value = 0x7FFFFF00;
        while (std::ranges::find(all, WindowId{value}, &WindowInfo::id) != all.end()) ++value;
        check(Requirement::unknown_window_refused, [&] {
            return unless_error({errc::window_not_found}, [&] {
                windows.apply({WindowId{value}, WindowAction::focus, {}});
            });
        });
    }

    void check_focus(Windows& windows, const std::vector<WindowInfo>& all) {
        const auto former = std::ranges::find(all, true, &WindowInfo::foreground);
        if (former == all.end()) return;
        // Prefers the next one: windows before the foreground window may always be above all
        // others.
        const auto can_come_up = [&](const WindowInfo& window) {
            return !window.title.empty() && window.state != WindowState::minimized &&
                   !window.foreground && !covers_display(window);
        };
        auto target = std::find_if(former, all.end(), can_come_up);
        if (target == all.end()) target = std::ranges::find_if(all, can_come_up);
        if (target == all.end()) return;
        check(Requirement::focused_window_on_top, [&]() -> Observed {
            if (!focus(windows, target->id)) return {};
            std::vector<WindowInfo> now;
            const bool is_on_top = eventually([&] {
                now = windows.list();
                const auto found = std::ranges::find(now, target->id, &WindowInfo::id);
                const auto other = std::ranges::find(now, former->id, &WindowInfo::id);
                return found != now.end() && found->foreground && found < other;
            });
            (void)focus(windows, former->id);
            return is_on_top ? "" : in_quotes(target->title) + " is not";
        });
    }

    /// Such as the window of the desktop's icons, which always stays below all others.
    [[nodiscard]] bool covers_display(const WindowInfo& window) const {
        return std::ranges::any_of(displays_, [&](const Display& display) {
            return intersection(window.bounds, display.bounds) == display.bounds;
        });
    }

    /// False if the system refused it, which is allowed.
    static bool focus(Windows& windows, WindowId window) {
        try {
            windows.apply({window, WindowAction::focus, {}});
            return true;
        } catch (const Error& error) {
            if (error.code() != errc::input_refused && error.code() != errc::input_not_permitted)
                throw;
            return false;
        }
    }

    // --- clipboard ---

    void check_clipboard(Clipboard& clipboard) {
        check(Requirement::line_break, [&]() -> Observed {
            const std::string_view given = clipboard.line_break();
            return given == "\n" || given == "\r\n" || given == "\r" ? "" : in_quotes(given);
        });
        if (!options_.changes_clipboard) return;
        std::string text;
        std::optional<Image> image;
        const bool is_readable = check(Requirement::restorable_clipboard, [&]() -> Observed {
            if (clipboard.holds_other())
                return "it holds content other than text or an image; clear it and check again";
            text = clipboard.text();
            image = clipboard.image();
            return {};
        });
        if (!is_readable) return;
        check_text(clipboard);
        check_image(clipboard);
        check_clear(clipboard);
        check(Requirement::restorable_clipboard, [&]() -> Observed {
            if (!text.empty())
                clipboard.set_text(text);
            else if (image)
                clipboard.set_image(image->view());
            else
                clipboard.clear();
            return {};
        });
    }

    void check_text(Clipboard& clipboard) {
        for (const char* text : {"plain", "\xC3\xA9 \xE4\xB8\x96\xE7\x95\x8C \xF0\x9F\x98\x80",
                                 "two\r\nlines", "one\nline", ""})
            check(Requirement::text_round_trip, [&]() -> Observed {
                clipboard.set_text(text);
                const std::string back = clipboard.text();
                return back == text ? "" : in_quotes(back) + " instead of " + in_quotes(text);
            });
        check(Requirement::no_other_content, [&]() -> Observed {
            clipboard.set_text("text");
            return clipboard.holds_other() ? "text counts as other content" : "";
        });
        for (const std::string& text : bad_texts())
            check(Requirement::bad_text_refused,
                  [&] { return unless_invalid_argument([&] { clipboard.set_text(text); }); });
    }

    void check_image(Clipboard& clipboard) {
        Image image({5, 3}); // rows that need padding in bitmaps
        image.fill({1, 0, 2, 2}, {.blue = 10, .green = 20, .red = 30, .alpha = 0});
        image.fill({4, 2, 1, 1}, {.blue = 255, .green = 128, .red = 0, .alpha = 77});
        std::optional<Image> back;
        check(Requirement::image_round_trip, [&]() -> Observed {
            clipboard.set_image(image.view());
            back = clipboard.image();
            if (!back) return "no image";
            if (back->size() != image.size()) return described(back->size()) + " pixels";
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    if (!is_color(back->at(x, y), image.at(x, y)))
                        return "another color at " + described(Point{x, y});
            return {};
        });
        check(Requirement::opaque_image, [&]() -> Observed {
            if (!back) return {};
            for (int y = 0; y < back->height(); ++y)
                for (int x = 0; x < back->width(); ++x)
                    if (const int alpha = back->at(x, y).alpha; alpha != 255)
                        return "alpha " + std::to_string(alpha) + " at " + described(Point{x, y});
            return {};
        });
        check(Requirement::no_other_content, [&]() -> Observed {
            return clipboard.holds_other() ? "an image counts as other content" : "";
        });
        check(Requirement::empty_image_refused,
              [&] { return unless_invalid_argument([&] { clipboard.set_image({}); }); });
        check(Requirement::image_replaces_text, [&]() -> Observed {
            clipboard.set_text("replaced");
            clipboard.set_image(image.view());
            const std::string left = clipboard.text();
            return left.empty() ? "" : in_quotes(left);
        });
        check(Requirement::text_replaces_image, [&]() -> Observed {
            clipboard.set_image(image.view());
            clipboard.set_text("text");
            return clipboard.image() ? "the image is still there" : "";
        });
    }

    void check_clear(Clipboard& clipboard) {
        check(Requirement::clear, [&]() -> Observed {
            clipboard.set_text("text");
            clipboard.clear();
            if (const std::string left = clipboard.text(); !left.empty()) return in_quotes(left);
            if (clipboard.image()) return "an image";
            return clipboard.holds_other() ? "other content" : "";
        });
    }

    Desktop& desktop_;
    CheckDesktopOptions options_;
    std::vector<Display> displays_;
    std::vector<Finding> findings_;
};

} // namespace

std::ostream& operator<<(std::ostream& out, const Finding& finding) {
    return out << finding.requirement << ": " << finding.observed;
}

std::vector<Finding> check_desktop(Desktop& desktop, const CheckDesktopOptions& options) {
    return Checker(desktop, options).run();
}

std::vector<std::string> desktop_requirements() {
    std::vector<std::string> texts;
    texts.reserve(entries.size());
    for (const Entry& entry : entries) texts.emplace_back(entry.text);
    return texts;
}

} // namespace eyehand::winio::testing
