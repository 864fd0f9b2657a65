// A chat model of your own: limits the tokens that another model uses.
#pragma once

#include <eyehand/agent.hpp>

using namespace eyehand;

class BudgetModel final : public vlm::ChatModel {
public:
    BudgetModel(vlm::ChatModel& model, int max_tokens) : model_(model), max_tokens_(max_tokens) {}

    vlm::ChatReply reply(const vlm::ChatRequest& request, const vlm::OnDelta& on_delta,
                         std::stop_token stop) override {
        if (used_ >= max_tokens_)
            throw vlm::Error(vlm::errc::http_status,
                             "the token budget is used up: " + std::to_string(used_) + " of " +
                                 std::to_string(max_tokens_));
        vlm::ChatReply reply = model_.reply(request, on_delta, std::move(stop));
        used_ += reply.usage.prompt_tokens.value_or(0) + reply.usage.completion_tokens.value_or(0);
        return reply;
    }
    int used() const { return used_; }

private:
    vlm::ChatModel& model_;
    int max_tokens_;
    int used_ = 0;
};
