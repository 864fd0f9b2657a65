// A run in virtual time: nothing waits, and the test decides when what happens.
#pragma once

#include "run/desktop_world.hpp"
#include "run/timeline.hpp"

#include "eyehand/agent/desktop_tools.hpp"
#include "eyehand/agent/journal.hpp"
#include "eyehand/agent/mode_factory.hpp"
#include "eyehand/agent/profile.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include "eyehand/vlm/error.hpp"
#include "unguarded.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace test {

/// How a request goes.
struct Thought {
    std::chrono::milliseconds time{1000};                   ///< until the reply is complete
    std::optional<std::chrono::milliseconds> first_delta{}; ///< of text; empty: not before the end
    std::chrono::milliseconds time_to_cancel{0};            ///< until a cancelled request ends
    eyehand::vlm::ChatReply reply{};
};

/// What became of a request.
struct Request {
    std::chrono::milliseconds sent{};
    std::chrono::milliseconds answered{}; ///< the first delta, or the end
    std::chrono::milliseconds ended{};
    bool cancel_requested = false;
    bool cancelled = false; ///< requested, and the reply was not complete before
};

class VirtualTimeline final : public eyehand::agent::Timeline {
public:
    using Think = std::function<Thought(const eyehand::vlm::ChatRequest&)>;
    explicit VirtualTimeline(Think think) : think_(std::move(think)) {}

    /// Schedules something after a time since the beginning.
    void at(std::chrono::milliseconds when, std::function<void()> event) {
        events_.emplace(when, std::move(event));
    }
    [[nodiscard]] std::chrono::milliseconds elapsed() const { return now_; }
    void pass(std::chrono::milliseconds duration) {
        for (const auto end = now_ + duration; now_ < end;) step(end);
    }
    [[nodiscard]] const std::vector<Request>& requests() const { return requests_; }

    [[nodiscard]] Time now() const override { return Time{} + now_; }
    [[nodiscard]] bool wait(std::chrono::milliseconds duration,
                            const std::stop_token& stop) override {
        const auto end = now_ + duration;
        while (now_ < end && !stop.stop_requested()) step(end);
        return !stop.stop_requested();
    }
    [[nodiscard]] std::unique_ptr<eyehand::agent::PendingReply>
    send(eyehand::vlm::ChatModel&, const eyehand::vlm::ChatRequest& request,
         std::stop_token stop) override {
        requests_.push_back({.sent = now_});
        return std::make_unique<Pending>(*this, think_(request), std::move(stop));
    }

private:
    class Pending final : public eyehand::agent::PendingReply {
    public:
        Pending(VirtualTimeline& timeline, Thought thought, std::stop_token stop)
            : timeline_(timeline), thought_(std::move(thought)), stop_(std::move(stop)),
              completes_(timeline.now_ + thought_.time), ends_(completes_),
              answers_(timeline.now_ + thought_.first_delta.value_or(thought_.time)) {}

        [[nodiscard]] bool wait_until(Time end, const eyehand::vlm::OnDelta& on_delta) override {
            // In milliseconds: Time::max() is the same as no end.
            const auto until = std::chrono::duration_cast<std::chrono::milliseconds>(end - Time{});
            while (timeline_.now_ < std::min(until, ends_)) {
                timeline_.step(std::min({until, ends_, answered_ ? ends_ : answers_}));
                if (!answered_ && timeline_.now_ >= answers_ && answers_ <= ends_) {
                    answered_ = true;
                    if (on_delta) on_delta({eyehand::vlm::Delta::Kind::text, "I", 0, {}});
                }
                if (stop_.stop_requested()) cancel();
            }
            return timeline_.now_ >= ends_;
        }
        [[nodiscard]] bool is_answered() const override { return answered_; }
        void cancel() override {
            timeline_.requests_.back().cancel_requested = true;
            ends_ = std::min(ends_, timeline_.now_ + thought_.time_to_cancel);
        }
        [[nodiscard]] eyehand::vlm::ChatReply take(const eyehand::vlm::OnDelta& on_delta) override {
            while (!wait_until(Time::max(), on_delta)) {
            }
            Request& request = timeline_.requests_.back();
            request.ended = ends_;
            request.answered = std::min(answers_, ends_);
            request.cancelled = ends_ < completes_;
            if (request.cancelled)
                throw eyehand::vlm::Error(eyehand::vlm::errc::cancelled, "cancelled");
            return thought_.reply;
        }

    private:
        VirtualTimeline& timeline_;
        Thought thought_;
        std::stop_token stop_;
        std::chrono::milliseconds completes_;
        std::chrono::milliseconds ends_;
        std::chrono::milliseconds answers_;
        bool answered_ = false;
    };

    /// Continues to the next event, but at most until `end`.
    void step(std::chrono::milliseconds end) {
        if (events_.empty() || events_.begin()->first > end) {
            now_ = end;
            return;
        }
        auto event = events_.extract(events_.begin());
        now_ = std::max(now_, event.key());
        event.mapped()();
    }

    Think think_;
    std::chrono::milliseconds now_{0};
    std::multimap<std::chrono::milliseconds, std::function<void()>> events_;
    std::vector<Request> requests_;
};

/// A run of the profile observer on a desktop in memory. Requests go to the timeline.
struct VirtualRun {
    explicit VirtualRun(VirtualTimeline::Think think) : timeline(std::move(think)) {
        options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
        options.reaction = eyehand::winio::no_reaction_wait;
        options.watch = eyehand::agent::Watch::resend;
    }
    /// Without `mode`: with the profile's mode.
    eyehand::agent::Finish run(std::unique_ptr<eyehand::agent::Mode> mode = nullptr) {
        using namespace eyehand::agent;
        RunPort(control).begin(RunPort::Replies::not_taken);
        Journal journal(store, [this](const Event& event) {
            events.push_back(event);
            if (on_event) on_event(event);
        });
        const ToolsByRole tools = tools_by_role(built_in_tools(), profile, options);
        if (!mode) mode = make_mode({profile, "do it", tools, {}});
        DesktopWorldParts parts{desktop, model, tools, profile, options, store, control};
        if (journals_decisions) parts.journal = &journal;
        DesktopWorld world(std::move(parts), timeline);
        return drive(*mode, journal, world);
    }

    eyehand::winio::testing::MemoryDesktop desktop{eyehand::winio::Size{251, 251}};
    VirtualTimeline timeline;
    eyehand::agent::AgentOptions options = test::unguarded();
    eyehand::agent::Profile profile = eyehand::agent::load_profile("observer");
    eyehand::agent::MemoryStore store;
    eyehand::agent::RunControl control;
    std::vector<eyehand::agent::Event> events;
    std::function<void(const eyehand::agent::Event&)> on_event{};
    bool journals_decisions = false; ///< the journal is also synced before each action, on a thread

private:
    /// For requests that are not watched.
    class Unwatched final : public eyehand::vlm::ChatModel {
    public:
        explicit Unwatched(VirtualTimeline& timeline) : timeline_(timeline) {}
        eyehand::vlm::ChatReply reply(const eyehand::vlm::ChatRequest& request,
                                      const eyehand::vlm::OnDelta& on_delta,
                                      std::stop_token stop) override {
            return timeline_.send(*this, request, std::move(stop))->take(on_delta);
        }

    private:
        VirtualTimeline& timeline_;
    };
    Unwatched model{timeline};
};

/// A run whose model gives these replies, then "Done."; without the watch.
struct ScriptedRun : VirtualRun {
    explicit ScriptedRun(std::vector<Thought> thoughts)
        : VirtualRun(
              [this, thoughts = std::move(thoughts)](const eyehand::vlm::ChatRequest& request) {
                  requests.push_back(request);
                  if (requests.size() <= thoughts.size()) return thoughts[requests.size() - 1];
                  Thought done;
                  done.reply.text = "Done.";
                  return done;
              }) {
        options.watch = eyehand::agent::Watch::off;
        profile.offer_custom_tools = true;
    }
    std::vector<eyehand::vlm::ChatRequest> requests;
};

} // namespace test
