// Verifies that the conformance suite finds deliberate faults, each by its requirement.
#include "eyehand/winio/testing/check_desktop.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include "catch.hpp"
#include "minimal_desktop.hpp"
#include "printing.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <sstream>
#include <stdexcept>

using namespace eyehand::winio;
using namespace std::chrono_literals;
using testing::check_desktop;
using testing::CheckDesktopOptions;
using testing::desktop_requirements;
using testing::Finding;
using testing::MemoryDesktop;

namespace {

const CheckDesktopOptions everything{.moves_pointer = true,
                                     .changes_clipboard = true,
                                     .changes_focus = true,
                                     .timeout = 20ms}; // a desktop in memory has no delays

/// Two displays with an image, a pointer and three windows.
class CheckDesktopStage {
public:
    CheckDesktopStage() {
        for (int i = 0; i < 40; ++i)
            desktop.screen().fill({i * 13, i * 7, 11, 9},
                                  {.red = static_cast<std::uint8_t>(i + 9)});
        PointerShape shape;
        shape.pixels = Image({3, 3});
        desktop.set_pointer_shape(shape);
        desktop.set_windows(
            {{.id = WindowId{1}, .title = "one", .process = "one.exe", .foreground = true},
             {.id = WindowId{2}, .title = "two"},
             {.id = WindowId{3}, .title = "three"}});
    }
    MemoryDesktop desktop{{{.id = "1", .bounds = {0, 0, 320, 240}, .primary = true},
                           {.id = "2", .bounds = {-100, 0, 100, 200}}}};
};

/// A decorator that forwards all calls to a memory desktop, unless a hook replaces them.
class Faulty final : public Desktop, private Windows, private Clipboard {
public:
    explicit Faulty(Desktop& inner) : inner_(inner) {}

    std::function<void(std::vector<Display>&)> on_displays;
    std::function<std::unique_ptr<Capturer>(std::unique_ptr<Capturer>)> on_open;
    std::function<void(Capturer& inner, const Rect& area, Frame& into, bool pointer)> on_capture;
    std::function<SendReport(Desktop& inner, std::span<const InputEvent>)> on_send;
    std::function<std::optional<Point>(std::optional<Point>)> on_pointer;
    std::function<void(const LaunchCommand&)> on_launch;
    std::function<void(std::vector<WindowInfo>&)> on_list;
    std::function<void(Windows& inner, const WindowCommand&)> on_apply;
    std::function<std::string(std::string)> on_text;
    std::function<void(Clipboard& inner, std::string_view)> on_set_text;
    std::function<std::optional<Image>(std::optional<Image>)> on_image;
    std::function<void(Clipboard& inner, const ImageView&)> on_set_image;
    std::function<bool(Clipboard& inner)> on_holds_other;
    std::function<void(Clipboard& inner)> on_clear;
    std::chrono::milliseconds time{0};
    std::string_view breaks = "\n";

    std::vector<Display> displays() override {
        auto all = inner_.displays();
        if (on_displays) on_displays(all);
        return all;
    }
    std::unique_ptr<Capturer> open_capturer(const CaptureOptions& options) override {
        auto opened = std::make_unique<FaultyCapturer>(*this, options);
        return on_open ? on_open(std::move(opened)) : std::move(opened);
    }
    SendReport send(std::span<const InputEvent> events) override {
        return on_send ? on_send(inner_, events) : inner_.send(events);
    }
    std::optional<Point> pointer() override {
        return on_pointer ? on_pointer(inner_.pointer()) : inner_.pointer();
    }
    void launch(const LaunchCommand& command) override {
        on_launch ? on_launch(command) : inner_.launch(command);
    }
    std::chrono::milliseconds double_click_time() override { return time; }
    Windows* windows() noexcept override { return this; }
    Clipboard* clipboard() noexcept override { return this; }

private:
    class FaultyCapturer final : public Capturer {
    public:
        FaultyCapturer(Faulty& desktop, const CaptureOptions& options)
            : desktop_(desktop), pointer_(options.pointer),
              inner_(desktop.inner_.open_capturer(options)) {}
        void capture(const Rect& area, Frame& into) override {
            if (desktop_.on_capture)
                desktop_.on_capture(*inner_, area, into, pointer_);
            else
                inner_->capture(area, into);
        }

    private:
        Faulty& desktop_;
        bool pointer_;
        std::unique_ptr<Capturer> inner_;
    };

    std::vector<WindowInfo> list() override {
        auto all = inner_.windows()->list();
        if (on_list) on_list(all);
        return all;
    }
    void apply(const WindowCommand& command) override {
        on_apply ? on_apply(*inner_.windows(), command) : inner_.windows()->apply(command);
    }
    std::string text() override {
        return on_text ? on_text(inner_.clipboard()->text()) : inner_.clipboard()->text();
    }
    void set_text(std::string_view text) override {
        on_set_text ? on_set_text(*inner_.clipboard(), text) : inner_.clipboard()->set_text(text);
    }
    std::optional<Image> image() override {
        return on_image ? on_image(inner_.clipboard()->image()) : inner_.clipboard()->image();
    }
    void set_image(const ImageView& image) override {
        on_set_image ? on_set_image(*inner_.clipboard(), image)
                     : inner_.clipboard()->set_image(image);
    }
    bool holds_other() override {
        return on_holds_other ? on_holds_other(*inner_.clipboard())
                              : inner_.clipboard()->holds_other();
    }
    void clear() override {
        on_clear ? on_clear(*inner_.clipboard()) : inner_.clipboard()->clear();
    }
    [[nodiscard]] std::string_view line_break() const noexcept override { return breaks; }

    Desktop& inner_;
};

struct Fault {
    const char* requirement; ///< the beginning of the requirement's text
    const char* what;
    std::function<void(Faulty&)> install;
};

SendReport accepted(std::size_t events) { return {events, events, {}, {}}; }

const std::vector<Fault> faults{
    {"displays: at least one", "no display",
     [](Faulty& f) { f.on_displays = [](auto& all) { all.clear(); }; }},
    {"displays: at least one", "an error instead of displays",
     [](Faulty& f) { f.on_displays = [](auto&) { throw Error(errc::no_display, "gone"); }; }},
    {"displays: each has a unique id", "the same id twice",
     [](Faulty& f) { f.on_displays = [](auto& all) { all[1].id = all[0].id; }; }},
    {"displays: each has a unique id", "an empty id",
     [](Faulty& f) { f.on_displays = [](auto& all) { all[1].id.clear(); }; }},
    {"displays: bounds", "a display without pixels",
     [](Faulty& f) { f.on_displays = [](auto& all) { all[1].bounds.height = 0; }; }},
    {"displays: the DPI", "a DPI of zero",
     [](Faulty& f) { f.on_displays = [](auto& all) { all[0].dpi = 0; }; }},
    {"displays: exactly one is primary", "two primary displays",
     [](Faulty& f) { f.on_displays = [](auto& all) { all[1].primary = true; }; }},
    {"displays: exactly one is primary", "no primary display",
     [](Faulty& f) { f.on_displays = [](auto& all) { all[0].primary = false; }; }},
    {"displays: two calls", "another order each time",
     [](Faulty& f) {
         f.on_displays = [calls = 0](auto& all) mutable {
             if (++calls % 2 == 0) std::ranges::reverse(all);
         };
     }},
    {"double-click time", "a negative time", [](Faulty& f) { f.time = -1ms; }},
    {"capture: a capturer opens", "nullptr",
     [](Faulty& f) { f.on_open = [](auto) { return std::unique_ptr<Capturer>(); }; }},
    {"capture: a capturer opens", "an exception",
     [](Faulty& f) {
         f.on_open = [](auto) -> std::unique_ptr<Capturer> { throw std::runtime_error("broken"); };
     }},
    {"capture: the frame has the size", "the size of the first area for ever",
     [](Faulty& f) {
         f.on_capture = [first = Size()](Capturer& inner, Rect area, Frame& into, bool) mutable {
             if (area.empty() || area.width > 9999) return inner.capture(area, into);
             if (first.empty()) first = area.size();
             inner.capture({area.x, area.y, first.width, first.height}, into);
         };
     }},
    {"capture: the frame has the size", "no origin",
     [](Faulty& f) {
         f.on_capture = [](Capturer& inner, const Rect& area, Frame& into, bool) {
             inner.capture(area, into);
             into.origin = {};
         };
     }},
    {"capture: the whole of each display", "only the display at the origin",
     [](Faulty& f) {
         f.on_capture = [](Capturer& inner, const Rect& area, Frame& into, bool) {
             if (area.x < 0) throw Error(errc::capture_failed, "negative coordinates");
             inner.capture(area, into);
         };
     }},
    {"capture: a part shows the same", "a part is captured from the corner",
     [](Faulty& f) {
         f.on_capture = [](Capturer& inner, const Rect& area, Frame& into, bool) {
             inner.capture(area, into);
             if (!area.empty() && area.width < 320 && area.height > 50) {
                 inner.capture({0, 0, area.width, area.height}, into);
                 into.origin = area.origin();
             }
         };
     }},
    {"capture: pixels outside", "what the frame had before",
     [](Faulty& f) {
         f.on_capture = [](Capturer& inner, const Rect& area, Frame& into, bool) {
             if (area.x >= 320) {
                 into.origin = area.origin();
                 into.pixels.resize(area.size());
                 return;
             }
             inner.capture(area, into);
         };
     }},
    {"capture: pixels outside", "white where an area is half outside",
     [](Faulty& f) {
         f.on_capture = [](Capturer& inner, const Rect& area, Frame& into, bool) {
             inner.capture(area, into);
             if (area.x < 320)
                 into.pixels.fill({320 - area.x, 0, area.width, area.height}, {255, 255, 255, 255});
         };
     }},
    {"capture: the frame's memory", "a fresh image each time",
     [](Faulty& f) {
         f.on_capture = [](Capturer& inner, const Rect& area, Frame& into, bool) {
             Frame fresh;
             inner.capture(area, fresh);
             into = std::move(fresh);
         };
     }},
    {"capture: the frame has no pointer", "the pointer of the frame before",
     [](Faulty& f) {
         f.on_capture = [](Capturer& inner, const Rect& area, Frame& into, bool pointer) {
             const auto before = into.pointer;
             inner.capture(area, into);
             if (!pointer) into.pointer = before;
         };
     }},
    {"capture: the pointer's hotspot", "a hotspot outside the shape",
     [](Faulty& f) {
         f.on_capture = [](Capturer& inner, const Rect& area, Frame& into, bool) {
             inner.capture(area, into);
             if (into.pointer) into.pointer->hotspot = {3, 0};
         };
     }},
    {"capture: the pointer's hotspot", "an invert mask that is too short",
     [](Faulty& f) {
         f.on_capture = [](Capturer& inner, const Rect& area, Frame& into, bool) {
             inner.capture(area, into);
             if (into.pointer) into.pointer->invert.resize(8);
         };
     }},
    {"capture: an empty area", "an empty area gives an empty frame",
     [](Faulty& f) {
         f.on_capture = [](Capturer& inner, const Rect& area, Frame& into, bool) {
             if (area.width == 0) return;
             inner.capture(area, into);
         };
     }},
    {"capture: an empty area", "another exception",
     [](Faulty& f) {
         f.on_capture = [](Capturer& inner, const Rect& area, Frame& into, bool) {
             if (area.height < 0) throw Error(errc::capture_failed, "negative");
             inner.capture(area, into);
         };
     }},
    {"capture: an area larger", "another exception",
     [](Faulty& f) {
         f.on_capture = [](Capturer& inner, const Rect& area, Frame& into, bool) {
             if (area.width > 9999) throw std::length_error("too large");
             inner.capture(area, into);
         };
     }},
    {"capture: a refused area", "a refusal breaks the capturer",
     [](Faulty& f) {
         f.on_capture = [broken = false](Capturer& inner, const Rect& area, Frame& into,
                                         bool) mutable {
             if (broken && !area.empty() && area.width < 9999)
                 throw Error(errc::capture_failed, "broken");
             broken = broken || area.empty();
             inner.capture(area, into);
         };
     }},
    {"input: an empty batch", "an empty batch is an error",
     [](Faulty& f) {
         f.on_send = [](Desktop& inner, auto events) -> SendReport {
             if (events.empty())
                 return {0, 0, "nothing to send", make_error_code(errc::input_refused)};
             return inner.send(events);
         };
     }},
    {"input: the report counts", "fewer events than the batch has",
     [](Faulty& f) {
         f.on_send = [](Desktop& inner, auto events) {
             (void)inner.send(events);
             return accepted(std::min<std::size_t>(events.size(), 1));
         };
     }},
    {"input: the report counts", "more accepted than sent",
     [](Faulty& f) {
         f.on_send = [](Desktop& inner, auto events) {
             auto report = inner.send(events);
             if (!events.empty()) ++report.accepted;
             return report;
         };
     }},
    {"input: the report counts", "an error though all was accepted",
     [](Faulty& f) {
         f.on_send = [](Desktop& inner, auto events) {
             auto report = inner.send(events);
             if (!events.empty()) report.error = make_error_code(errc::input_refused);
             return report;
         };
     }},
    {"input: the report counts", "refused without a reason",
     [](Faulty& f) {
         f.on_send = [](Desktop&, auto events) { return SendReport{events.size(), 0, {}, {}}; };
     }},
    {"input: the report counts", "an exception",
     [](Faulty& f) {
         f.on_send = [](Desktop& inner, auto events) {
             if (!events.empty()) throw Error(errc::input_refused, "no");
             return inner.send(events);
         };
     }},
    {"input: the pointer goes", "moves are swallowed",
     [](Faulty& f) { f.on_send = [](Desktop&, auto events) { return accepted(events.size()); }; }},
    {"input: the pointer goes", "one pixel off at the right edge",
     [](Faulty& f) {
         f.on_pointer = [](std::optional<Point> at) {
             if (at->x == 319) at->x = 318;
             return at;
         };
     }},
    {"input: all events of a batch", "only the first one takes effect",
     [](Faulty& f) {
         f.on_send = [](Desktop& inner, auto events) {
             (void)inner.send(events.first(std::min<std::size_t>(events.size(), 1)));
             return accepted(events.size());
         };
     }},
    {"capture: the frame's pointer", "relative to the captured area",
     [](Faulty& f) {
         f.on_capture = [](Capturer& inner, const Rect& area, Frame& into, bool) {
             inner.capture(area, into);
             if (into.pointer) into.pointer->position.x += 1;
         };
     }},
    {"launch: an empty command", "nothing happens", [](Faulty& f) { f.on_launch = [](auto&) {}; }},
    {"launch: an empty command", "another error",
     [](Faulty& f) {
         f.on_launch = [](const LaunchCommand&) { throw Error(errc::input_refused, "no"); };
     }},
    {"launch: a command that is not UTF-8", "it is launch_failed",
     [](Faulty& f) {
         f.on_launch = [](const LaunchCommand&) { throw Error(errc::launch_failed, "no"); };
     }},
    {"windows: each has a unique id", "the same id twice",
     [](Faulty& f) { f.on_list = [](auto& all) { all[1].id = all[0].id; }; }},
    {"windows: titles", "a title in Latin-1",
     [](Faulty& f) { f.on_list = [](auto& all) { all[1].title = "caf\xe9"; }; }},
    {"windows: the process", "a path",
     [](Faulty& f) { f.on_list = [](auto& all) { all[1].process = "C:\\two.exe"; }; }},
    {"windows: the opaque part", "a part outside of the bounds",
     [](Faulty& f) { f.on_list = [](auto& all) {
                         all[1].opaque = {-1, 0, 5, 5};
                     }; }},
    {"windows: at most one", "two windows in the foreground",
     [](Faulty& f) {
         f.on_list = [](auto& all) { all[0].foreground = all[1].foreground = true; };
     }},
    {"windows: two calls", "another order each time",
     [](Faulty& f) {
         f.on_list = [calls = 0](auto& all) mutable {
             if (++calls % 2 == 0) std::ranges::reverse(all);
         };
     }},
    {"windows: a command for an unknown", "nothing happens",
     [](Faulty& f) {
         f.on_apply = [](Windows& inner, const WindowCommand& command) {
             if (static_cast<std::uintptr_t>(command.window) < 10) inner.apply(command);
         };
     }},
    {"windows: a command for an unknown", "another error",
     [](Faulty& f) {
         f.on_apply = [](Windows& inner, const WindowCommand& command) {
             if (static_cast<std::uintptr_t>(command.window) >= 10)
                 throw Error(errc::input_refused, "no");
             inner.apply(command);
         };
     }},
    {"windows: a focused window", "focusing does nothing",
     [](Faulty& f) {
         f.on_apply = [](Windows& inner, const WindowCommand& command) {
             if (static_cast<std::uintptr_t>(command.window) >= 10) inner.apply(command);
         };
     }},
    {"windows: a focused window", "the lowest window comes first",
     [](Faulty& f) { f.on_list = [](auto& all) { std::ranges::reverse(all); }; }},
    {"clipboard: the line break", "none", [](Faulty& f) { f.breaks = ""; }},
    {"clipboard: its content", "it holds files",
     [](Faulty& f) { f.on_holds_other = [](Clipboard&) { return true; }; }},
    {"clipboard: its content", "it cannot be read",
     [](Faulty& f) {
         f.on_image = [](auto) -> std::optional<Image> {
             throw Error(errc::clipboard_failed, "held");
         };
     }},
    {"clipboard: text comes back", "Latin letters only",
     [](Faulty& f) {
         f.on_set_text = [](Clipboard& inner, std::string_view text) {
             std::string latin(text);
             inner.set_text(text);
             std::erase_if(latin, [](char c) { return static_cast<unsigned char>(c) > 127; });
             inner.set_text(latin);
         };
     }},
    {"clipboard: text comes back", "line breaks are converted",
     [](Faulty& f) {
         f.on_text = [](std::string text) {
             std::erase(text, '\r');
             return text;
         };
     }},
    {"clipboard: text that is not UTF-8", "it is taken",
     [](Faulty& f) {
         f.on_set_text = [](Clipboard& inner, std::string_view text) {
             if (text.starts_with("caf")) return;
             inner.set_text(text);
         };
     }},
    {"clipboard: text that is not UTF-8", "it is cut at the NUL character",
     [](Faulty& f) {
         f.on_set_text = [](Clipboard& inner, std::string_view text) {
             inner.set_text(text.substr(0, text.find('\0')));
         };
     }},
    {"clipboard: an image comes back with", "red and blue are swapped",
     [](Faulty& f) {
         f.on_image = [](std::optional<Image> image) {
             if (image)
                 for (int y = 0; y < image->height(); ++y)
                     for (std::size_t at = 0; at < image->row(y).size(); at += 4)
                         std::swap(image->row(y)[at], image->row(y)[at + 2]);
             return image;
         };
     }},
    {"clipboard: an image comes back with", "images are not kept",
     [](Faulty& f) { f.on_image = [](auto) { return std::optional<Image>(); }; }},
    {"clipboard: an image comes back opaque", "its alpha is kept",
     [](Faulty& f) {
         f.on_image = [](std::optional<Image> image) {
             if (image) image->row(0)[3] = 0;
             return image;
         };
     }},
    {"clipboard: an empty image", "it is taken",
     [](Faulty& f) {
         f.on_set_image = [](Clipboard& inner, const ImageView& image) {
             if (!image.empty()) inner.set_image(image);
         };
     }},
    {"clipboard: an image replaces", "the text stays",
     [](Faulty& f) {
         auto kept = std::make_shared<std::string>();
         f.on_set_text = [=](Clipboard& inner, std::string_view text) {
             inner.set_text(text);
             *kept = text;
         };
         f.on_text = [=](const std::string&) { return *kept; };
         f.on_clear = [=](Clipboard& inner) {
             inner.clear();
             kept->clear();
         };
     }},
    {"clipboard: text replaces", "the image stays",
     [](Faulty& f) {
         auto kept = std::make_shared<std::optional<Image>>();
         f.on_image = [=](std::optional<Image> image) {
             if (image) *kept = std::move(image);
             return *kept;
         };
     }},
    {"clipboard: text and images that", "text counts as other content",
     [](Faulty& f) { f.on_holds_other = [](Clipboard& inner) { return !inner.text().empty(); }; }},
    {"clipboard: text and images that", "an image counts as other content",
     [](Faulty& f) {
         f.on_holds_other = [](Clipboard& inner) { return inner.image().has_value(); };
     }},
    {"clipboard: it is empty after", "clearing does nothing",
     [](Faulty& f) { f.on_clear = [](Clipboard&) {}; }},
};

std::string text_of(const std::vector<Finding>& findings) {
    std::ostringstream text;
    for (const Finding& finding : findings) text << finding << '\n';
    return text.str();
}

bool reports(const std::vector<Finding>& findings, std::string_view requirement) {
    return std::ranges::any_of(findings, [&](const Finding& finding) {
        return finding.requirement.starts_with(requirement) && !finding.observed.empty();
    });
}

} // namespace

TEST_CASE("the check finds no fault in the memory desktop, nor in a decorator of it") {
    CheckDesktopStage stage;
    CHECK(text_of(check_desktop(stage.desktop, everything)).empty());
    Faulty without_fault(stage.desktop);
    CHECK(text_of(check_desktop(without_fault, everything)).empty());
}

TEST_CASE("the check finds no fault in a back-end that implements only the required functions") {
    MinimalDesktop desktop;
    CHECK(text_of(check_desktop(desktop, everything)).empty());
}

TEST_CASE("the check finds each fault") {
    for (const Fault& fault : faults) {
        CheckDesktopStage stage;
        Faulty desktop(stage.desktop);
        fault.install(desktop);
        const auto findings = check_desktop(desktop, everything);
        INFO(fault.requirement << ": " << fault.what << "; found:\n" << text_of(findings));
        CHECK(reports(findings, fault.requirement));
    }
}

TEST_CASE("each requirement has a fault that violates it") {
    for (const std::string& requirement : desktop_requirements()) {
        INFO(requirement);
        CHECK(std::ranges::any_of(faults, [&](const Fault& fault) {
            return requirement.starts_with(fault.requirement);
        }));
    }
    for (const Fault& fault : faults) { // and each fault violates only one
        INFO(fault.requirement);
        CHECK(std::ranges::count_if(desktop_requirements(), [&](const std::string& requirement) {
                  return requirement.starts_with(fault.requirement);
              }) == 1);
    }
}

TEST_CASE("by default, the check moves no pointer, writes no clipboard and focuses no window") {
    CheckDesktopStage stage;
    stage.desktop.on_clipboard = [](testing::ClipboardUse) { throw std::logic_error("used"); };
    CHECK(text_of(check_desktop(stage.desktop)).empty());
    CHECK(stage.desktop.events().empty());
    CHECK(stage.desktop.window_commands().empty());
    CHECK(stage.desktop.launches().empty());
}

TEST_CASE("the check presses nothing, and restores the pointer, the foreground and the text") {
    CheckDesktopStage stage;
    const InputEvent move = PointerMove{{77, 55}};
    REQUIRE(stage.desktop.send({&move, 1}).complete());
    stage.desktop.clipboard()->set_text("the user's");
    CHECK(text_of(check_desktop(stage.desktop, everything)).empty());
    CHECK(stage.desktop.pointer() == Point{77, 55});
    CHECK(stage.desktop.clipboard()->text() == "the user's");
    CHECK(stage.desktop.windows()->list().front().title == "one");
    CHECK(stage.desktop.windows()->list().front().foreground);
    CHECK(stage.desktop.launches().empty());
    for (const InputEvent& event : stage.desktop.events())
        CHECK(std::holds_alternative<PointerMove>(event));
}

TEST_CASE("the check restores an image, and does not change a clipboard with other content") {
    CheckDesktopStage stage;
    stage.desktop.clipboard()->set_image(Image({7, 9}).view());
    CHECK(text_of(check_desktop(stage.desktop, everything)).empty());
    REQUIRE(stage.desktop.clipboard()->image());
    CHECK(stage.desktop.clipboard()->image()->size() == Size{7, 9});

    stage.desktop.put_other_on_clipboard();
    const auto findings = check_desktop(stage.desktop, everything);
    REQUIRE(findings.size() == 1);
    CHECK_THAT(findings[0].observed, ContainsSubstring("clear it"));
    CHECK(stage.desktop.clipboard()->holds_other());
}

TEST_CASE(
    "the check does not focus a window as large as a display, which may stay below all others") {
    CheckDesktopStage stage;
    stage.desktop.set_windows(
        {{.id = WindowId{1}, .title = "one", .foreground = true},
         {.id = WindowId{2}, .title = "icons", .bounds = {-100, 0, 420, 240}}});
    CHECK(text_of(check_desktop(stage.desktop, everything)).empty());
    CHECK(stage.desktop.window_commands().empty());
}

TEST_CASE("the check does not pass on exceptions of the back-end, of any type") {
    CheckDesktopStage stage;
    Faulty desktop(stage.desktop);
    desktop.on_send = [](Desktop&, auto) -> SendReport { throw 4711; };
    const auto findings = check_desktop(desktop, everything);
    CHECK(reports(findings, "input: an empty batch"));
    CHECK(reports(findings, "input: the report counts"));
}
