#include "desktop_world.hpp"

#include "winio/error.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <set>
#include <utility>

namespace agent {
namespace {

using Clock = std::chrono::steady_clock;

std::chrono::microseconds since(Clock::time_point start) {
    return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
}

std::string code_name(const std::error_code& code) {
    return fmt::format("{}:{}", code.category().name(), code.value());
}

/// What went wrong with the one call, not with the desktop: the model can do something about it.
bool model_can_help(const std::error_code& code) {
    return code == winio::errc::outside_work_area || code == winio::errc::window_not_found ||
           code == winio::errc::launch_failed || code == winio::errc::clipboard_failed ||
           code == winio::errc::input_not_permitted || code == winio::errc::not_supported;
}

/// Tells that a call came to nothing, and whose business that is: the user's, the model's, or the
/// run's.
void not_done(Invoked& fact, const std::error_code& code, const std::string& why) {
    fact.ok = false;
    if (code == winio::errc::cancelled) {
        fact.interrupted = true;
        fact.result_json = fail("interrupted", "The action was broken off by the user.").json();
        return;
    }
    fact.result_json = fail("desktop_failed", why).json();
    if (!model_can_help(code)) fact.desktop_failure = fact.tool + ": " + why;
}

/// Notes how long the latest capture took.
class TimedCapturer final : public winio::Capturer {
public:
    explicit TimedCapturer(winio::Capturer& inner) : inner_(inner) {}
    void capture(const winio::Rect& area, winio::Frame& into) override {
        const auto start = Clock::now();
        inner_.capture(area, into);
        latest_ = since(start);
    }
    [[nodiscard]] std::chrono::microseconds latest() const { return latest_; }

private:
    winio::Capturer& inner_;
    std::chrono::microseconds latest_{};
};

/// Waits; false when the token was triggered before the time was over.
bool pause(std::chrono::milliseconds duration, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, stop, duration, [] { return false; });
    return !stop.stop_requested();
}

winio::PictureOptions picture_options(const Profile& profile) {
    winio::PictureOptions options;
    options.size = profile.image;
    return options;
}

} // namespace

DesktopWorld::DesktopWorld(winio::Desktop& desktop, vlm::ChatModel& model, const Toolbox& tools,
                           const Profile& profile, const AgentOptions& options,
                           RunDirectory& directory, RunControl& control, vlm::OnDelta on_delta)
    : desktop_(desktop), model_(model), tools_(tools), profile_(profile), options_(options),
      directory_(directory), control_(control), on_delta_(std::move(on_delta)),
      pipeline_(picture_options(profile)) {}

std::optional<Stopped> DesktopWorld::stopped() {
    if (!control_.stopping()) return std::nullopt;
    return Stopped{control_.why()};
}

Fact DesktopWorld::execute(const Command& command) {
    return std::visit([this](const auto& it) { return on(it); }, command);
}

winio::WorkArea DesktopWorld::choose_area() { return winio::choose_area(desktop_, options_.area); }

Fact DesktopWorld::on(const Observe& command) {
    try {
        area_ = choose_area(); // displays come and go
        if (!capturer_) capturer_ = desktop_.open_capturer({});
        TimedCapturer capturer(*capturer_);
        winio::Settled settled =
            settler_.wait(capturer, area_->bounds(), options_.settle, control_.at_safe_point());
        const winio::Picture picture = pipeline_.process(std::move(settled.frame));
        settler_.reuse(std::move(settled.frame));
        vlm::Image image = vlm::make_image(picture.png);
        Observed fact;
        fact.file = directory_.save_screenshot(command.screenshot, *picture.png);
        fact.sha256 = image.sha256;
        fact.size = picture.size;
        fact.area = picture.area;
        fact.changed = picture.changed;
        fact.settle = settled.waited;
        fact.capture = capturer.latest();
        fact.scale = picture.scale_time;
        fact.encode = picture.encode_time;
        images_.insert_or_assign(fact.sha256, std::move(image));
        return fact;
    } catch (const winio::Error& error) {
        if (error.code() == winio::errc::cancelled) return broken_off();
        capturer_.reset(); // whatever it held may be gone with the display
        return ObserveFailed{code_name(error.code()), error.what()};
    }
}

Fact DesktopWorld::on(const Ask& command) {
    if (std::exchange(asked_, true) && !pause(profile_.step_delay, control_.at_safe_point())) {
        return broken_off();
    }
    try {
        return Replied{
            model_.reply(with_images(command.request), on_delta_, control_.at_safe_point())};
    } catch (const vlm::Error& error) {
        if (error.code() == vlm::errc::cancelled) return broken_off();
        return AskFailed{code_name(error.code()), error.what()};
    }
}

/// Fills in the images' bytes, and forgets those that the conversation no longer holds.
vlm::ChatRequest DesktopWorld::with_images(vlm::ChatRequest request) {
    std::set<std::string> held;
    for (vlm::Message& message : request.messages) {
        for (vlm::Part& part : message.parts) {
            auto* image = std::get_if<vlm::Image>(&part);
            if (image == nullptr) continue;
            held.insert(image->sha256);
            *image = images_.at(image->sha256);
        }
    }
    std::erase_if(images_, [&](const auto& entry) { return !held.contains(entry.first); });
    return request;
}

Fact DesktopWorld::on(const Invoke& command) {
    Invoked fact;
    fact.call_id = command.call.id;
    fact.tool = command.call.name;
    const auto start = Clock::now();
    try {
        // The model means what it saw, even if a display has come or gone since.
        if (!area_) area_ = choose_area();
        ToolContext context{desktop_, *area_, control_.at_once()};
        const ToolResult result = tools_.call(command.call, context);
        fact.ok = result.succeeded();
        fact.result_json = result.json();
        fact.wants_screenshot = result.wants_screenshot();
        if (result.plan()) act_out(*result.plan(), fact);
    } catch (const winio::Error& error) {
        not_done(fact, error.code(), error.what());
    }
    fact.act = since(start);
    return fact;
}

void DesktopWorld::act_out(const winio::Plan& plan, Invoked& fact) {
    const winio::HandsReport report = hands().carry_out(plan, control_.at_once());
    if (report.complete()) return;
    not_done(fact, report.error, report.problem);
}

/// The same ones for as long as the area stays the same: they remember what they pressed last.
winio::Hands& DesktopWorld::hands() {
    if (!hands_ || hands_->fence().bounds() != area_->bounds()) hands_.emplace(desktop_, *area_);
    return *hands_;
}

Fact DesktopWorld::on(const Finish&) {
    throw std::logic_error("Finish ends a run, there is nothing to execute");
}

} // namespace agent
