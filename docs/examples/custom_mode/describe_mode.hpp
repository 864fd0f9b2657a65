// A mode of your own: the model describes the screen several times, then the run ends.
#pragma once

#include <eyehand/agent.hpp>

using namespace eyehand;

struct DescribeSettings {
    int looks = 2;
};

class DescribeMode final : public agent::Mode {
public:
    DescribeMode(const agent::Profile& profile, const std::string& task)
        : prompt_(profile.system_prompt), model_(profile.model), task_(task),
          looks_(profile.settings<DescribeSettings>()->looks) {}

    agent::Command next() const override {
        if (end_) return *end_;
        if (screenshot_.empty()) return agent::Observe{turn_ + 1};
        agent::Ask ask{"agent", {.model = model_}};
        ask.request.messages = {vlm::Message::system(prompt_),
                                vlm::Message::user(task_, vlm::Image{screenshot_, nullptr})};
        return ask;
    }
    void apply(const agent::Fact& fact) override {
        if (const auto* seen = std::get_if<agent::Observed>(&fact)) {
            screenshot_ = seen->sha256;
            ++turn_;
        } else if (const auto* replied = std::get_if<agent::Replied>(&fact)) {
            story_ += replied->reply.text + "\n";
            screenshot_.clear();
            if (turn_ == looks_) end_ = {agent::Outcome::completed, story_};
        } else if (const auto* failed = std::get_if<agent::AskFailed>(&fact)) {
            end_ = {agent::Outcome::endpoint_failed, failed->message};
        } else if (const auto* unseen = std::get_if<agent::ObserveFailed>(&fact)) {
            end_ = {agent::Outcome::desktop_failed, unseen->message};
        } else if (const auto* stopped = std::get_if<agent::Stopped>(&fact)) {
            end_ = {agent::Outcome::cancelled, stopped->reason};
        }
    }
    agent::ModeState state() const override {
        return {.turn = turn_, .phase = end_ ? "finished" : "describing", .plan = story_};
    }

private:
    std::string prompt_, model_, task_, screenshot_, story_;
    int looks_ = 0;
    int turn_ = 0;
    std::optional<agent::Finish> end_;
};
