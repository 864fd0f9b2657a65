#include "looking_model.hpp"

#include "eyehand/winio/png.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <condition_variable>
#include <utility>

namespace reaction {

using eyehand::vlm::ChatReply;
using eyehand::vlm::ChatRequest;
using Clock = std::chrono::steady_clock;

namespace {

/// Fewer pixels of a color are not a marker or a button.
constexpr int min_pixels = 200;

/// The pixels of one color.
struct Region {
    int count = 0;
    int left = 0;
    int top = 0;
    int right = 0;
    int bottom = 0;
    void add(int x, int y) {
        left = count == 0 ? x : std::min(left, x);
        top = count == 0 ? y : std::min(top, y);
        right = count == 0 ? x : std::max(right, x);
        bottom = y;
        ++count;
    }
};

/// The number of latest replies whose times the library compares.
constexpr std::size_t max_reply_times = 9;

/// Waits until `end`; returns false if the token is triggered earlier.
bool think_until(Clock::time_point end, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable condition;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
        const auto now = Clock::now();
        if (now >= end) return true;
        // Polls the token, as the library does, because of a defect of stop callbacks in GCC 12's library for Windows.
        condition.wait_until(lock, std::min(end, now + std::chrono::milliseconds(10)));
    }
    return false;
}

const eyehand::vlm::Image* new_screenshot(const ChatRequest& request) {
    for (const auto& part : request.messages.back().parts)
        if (const auto* image = std::get_if<eyehand::vlm::Image>(&part)) return image;
    return nullptr;
}

ChatReply calling(std::string text, const char* tool, std::string arguments, int number) {
    ChatReply reply;
    reply.text = std::move(text);
    reply.tool_calls = {{"call_" + std::to_string(number), tool, std::move(arguments), {}}};
    reply.finish = eyehand::vlm::FinishReason::tool_calls;
    return reply;
}

ChatReply saying(std::string text) {
    ChatReply reply;
    reply.text = std::move(text);
    reply.finish = eyehand::vlm::FinishReason::stop;
    return reply;
}

} // namespace

Sight look_at(const eyehand::winio::Image& screenshot) {
    std::array<Region, all_views.size()> markers{};
    Region button;
    Region pressed;
    for (int y = 0; y < screenshot.height(); ++y) {
        const auto row = screenshot.view().row(y);
        for (int x = 0; x < screenshot.width(); ++x) {
            const auto at = static_cast<std::size_t>(x) * 4; // blue, green, red, alpha
            const Rgb color = Rgb{row[at + 2]} << 16U | Rgb{row[at + 1]} << 8U | Rgb{row[at]};
            if (color == button_color) button.add(x, y);
            if (color == pressed_button_color) pressed.add(x, y);
            for (std::size_t i = 0; i < all_views.size(); ++i)
                if (color == marker_color(all_views[i])) markers[i].add(x, y);
        }
    }
    const bool looks_pressed = pressed.count > button.count;
    Sight sight;
    for (std::size_t i = 0; i < all_views.size(); ++i) {
        const View view = all_views[i];
        if (markers[i].count < min_pixels) continue;
        const auto place = button_of(view);
        if (place && view != View::dialog && is_pressed(view) != looks_pressed) continue;
        sight.view = view; // the last one is the dialog, which may cover another view
    }
    const Region& seen = looks_pressed ? pressed : button;
    if (sight.view && button_of(*sight.view) && seen.count >= min_pixels)
        sight.button =
            eyehand::winio::NormPoint{(seen.left + seen.right) * 500.0 / (screenshot.width() - 1),
                                      (seen.top + seen.bottom) * 500.0 / (screenshot.height() - 1)};
    return sight;
}

ChatReply LookingModel::reply(const ChatRequest& request, const eyehand::vlm::OnDelta& on_delta,
                              std::stop_token stop) {
    const auto begin = Clock::now();
    const auto remember_time = [&] {
        if (reply_times_.size() == max_reply_times) reply_times_.erase(reply_times_.begin());
        reply_times_.push_back(Clock::now() - begin);
    };
    const eyehand::vlm::Image* const image = new_screenshot(request);
    if (image == nullptr) {
        ChatReply reply = calling("I look at the effect.", "observe_screen", "{}", ++calls_);
        remember_time();
        return reply;
    }
    const Sight sight = look_at(eyehand::winio::decode_png(*image->bytes));
    Thought thought{.image_sha256 = image->sha256,
                    .seen = sight.view,
                    .begin = begin,
                    .earlier_replies = reply_times_};
    if (!think_until(begin + thinking_time_, stop)) {
        const std::scoped_lock lock(mutex_);
        thoughts_.push_back(std::move(thought));
        throw eyehand::vlm::Error(eyehand::vlm::errc::cancelled, "cancelled");
    }
    thought.first_delta = Clock::now();
    if (on_delta) on_delta({.text = "I see "});
    ChatReply reply = answer(thought, sight);
    remember_time();
    const std::scoped_lock lock(mutex_);
    thoughts_.push_back(std::move(thought));
    return reply;
}

ChatReply LookingModel::answer(Thought& thought, const Sight& sight) {
    const std::string words =
        "I see " + std::string(sight.view ? to_string(*sight.view) : "nothing that I know") + ".";
    if (sight.view == View::done || clicks_ >= max_clicks_) {
        thought.decision = Decision::finish;
        return saying(sight.view == View::done ? done : no_effect);
    }
    if (!sight.button) return calling(words, "observe_screen", "{}", ++calls_);
    thought.decision = Decision::click;
    ++clicks_;
    const std::string box = std::to_string(std::lround(sight.button->x)) + "," +
                            std::to_string(std::lround(sight.button->y));
    return calling(words, "click_element", R"({"label":"the button","box":[)" + box + "]}",
                   ++calls_);
}

std::size_t LookingModel::latest_thought() const {
    const std::scoped_lock lock(mutex_);
    return thoughts_.empty() ? 0 : thoughts_.size() - 1;
}

} // namespace reaction
