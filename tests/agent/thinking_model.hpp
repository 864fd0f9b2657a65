// A model whose thoughts are functions of the test, and what a run with it leaves.
#pragma once

#include "eyehand/agent/event.hpp"
#include "eyehand/vlm/error.hpp"
#include "eyehand/vlm/model.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace test {

/// Answers each request with the next thought, on the thread of the request. Thoughts may wait for
/// captures of the screen, which the test reports with `look`.
class ThinkingModel final : public eyehand::vlm::ChatModel {
public:
    using Thought = std::function<eyehand::vlm::ChatReply(ThinkingModel&)>;

    ThinkingModel& then(Thought thought) {
        thoughts_.push_back(std::move(thought));
        return *this;
    }
    ThinkingModel& then_call(std::string tool, std::string arguments = "{}") {
        return then([tool = std::move(tool), arguments = std::move(arguments)](ThinkingModel&) {
            return called(tool, arguments);
        });
    }
    ThinkingModel& then_say(std::string text) {
        return then([text = std::move(text)](ThinkingModel&) {
            eyehand::vlm::ChatReply reply;
            reply.text = text;
            return reply;
        });
    }
    static eyehand::vlm::ChatReply called(const std::string& tool, const std::string& arguments) {
        eyehand::vlm::ChatReply reply;
        reply.tool_calls = {{"call", tool, arguments, {}}};
        return reply;
    }

    eyehand::vlm::ChatReply reply(const eyehand::vlm::ChatRequest& request,
                                  const eyehand::vlm::OnDelta& on_delta,
                                  std::stop_token stop) override {
        requests.push_back(request);
        on_delta_ = on_delta;
        stop_ = std::move(stop);
        if (thoughts_.empty()) throw std::logic_error("the model has no thought left");
        const Thought thought = std::move(thoughts_.front());
        thoughts_.pop_front();
        {
            const std::scoped_lock lock(mutex_);
            looks_ = 0;
            thinks_ = true;
        }
        eyehand::vlm::ChatReply reply = thought(*this);
        const std::scoped_lock lock(mutex_);
        thinks_ = false;
        return reply;
    }

    // For thoughts
    /// Throws Error{cancelled} if the request is cancelled first.
    void wait_for_looks(int count) {
        std::unique_lock lock(mutex_);
        // The token is polled, as in the library (stop_poll_interval).
        while (
            !looked_.wait_for(lock, std::chrono::milliseconds(10), [&] { return looks_ >= count; }))
            if (stop_.stop_requested())
                throw eyehand::vlm::Error(eyehand::vlm::errc::cancelled, "cancelled");
    }
    [[noreturn]] void wait_for_cancellation() {
        for (;;) wait_for_looks(looks() + 1);
    }
    void say_delta(eyehand::vlm::Delta::Kind kind) { on_delta_({kind, "a", 0, {}}); }

    // For the desktop
    /// Returns the number of captures since the model began to think; 0 if it does not.
    int look() {
        const std::scoped_lock lock(mutex_);
        if (!thinks_) return 0;
        ++looks_;
        looked_.notify_all();
        return looks_;
    }
    [[nodiscard]] int looks() {
        const std::scoped_lock lock(mutex_);
        return looks_;
    }

    std::vector<eyehand::vlm::ChatRequest> requests;

private:
    std::deque<Thought> thoughts_;
    eyehand::vlm::OnDelta on_delta_;
    std::stop_token stop_;
    std::mutex mutex_;
    std::condition_variable looked_;
    bool thinks_ = false;
    int looks_ = 0;
};

/// The hash of the latest image of a request; empty if it has no image.
inline std::string image_of(const eyehand::vlm::ChatRequest& request) {
    std::string found;
    for (const eyehand::vlm::Message& message : request.messages)
        for (const eyehand::vlm::Part& part : message.parts)
            if (const auto* image = std::get_if<eyehand::vlm::Image>(&part)) found = image->sha256;
    return found;
}

template <typename Payload>
std::vector<Payload> all_of(const std::vector<eyehand::agent::Event>& events) {
    std::vector<Payload> found;
    for (const eyehand::agent::Event& event : events)
        if (const auto* payload = std::get_if<Payload>(&event.payload)) found.push_back(*payload);
    return found;
}

} // namespace test
