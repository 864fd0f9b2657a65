#include "reasoning.hpp"

#include <stdexcept>
#include <utility>

namespace eyehand::vlm::wire {
namespace {

constexpr std::string_view conflicts = "it cannot be combined with thinking_tokens";

/// The options that remain to be written, and what is written of them.
class Writer {
public:
    Writer(const Sampling& sampling, const Quirks& quirks)
        : effort_(sampling.reasoning_effort), tokens_(sampling.thinking_tokens) {
        if (tokens_ && *tokens_ < 0)
            throw std::invalid_argument("the number of thinking tokens is negative");
        if (effort_ && quirks.no_reasoning_effort) leave_out_effort(not_supported_by_server);
        if (tokens_ && quirks.no_thinking_tokens) leave_out_tokens();
        if (tokens_ == 0 && effort_ && effort_ != ReasoningEffort::none)
            leave_out_effort(conflicts);
    }

    [[nodiscard]] ReasoningOptions write(ReasoningForm form) {
        switch (form) {
        case ReasoningForm::standard:
            write_standard();
            break;
        case ReasoningForm::openrouter:
            write_openrouter();
            break;
        case ReasoningForm::gemini:
            write_gemini();
            break;
        case ReasoningForm::llama_server:
            write_llama_server();
            break;
        case ReasoningForm::vllm:
            write_vllm();
            break;
        }
        return std::move(written_);
    }

    /// "reasoning" has the effort, as in OpenRouter's chat completions, which take a budget there, too:
    /// https://developers.openai.com/api/reference/resources/responses/methods/create and
    /// https://openrouter.ai/docs/api/reference/responses/reasoning. llama-server passes further members
    /// of the request on (server_chat_convert_responses_to_chatcmpl in tools/server/server-chat.cpp).
    [[nodiscard]] ReasoningOptions write_for_responses(ReasoningForm form) {
        const bool has_budget =
            form == ReasoningForm::llama_server || form == ReasoningForm::openrouter;
        if (tokens_ && *tokens_ > 0 && !has_budget) leave_out_tokens();
        if (form == ReasoningForm::llama_server && tokens_) {
            add("thinking_budget_tokens", std::to_string(*tokens_), {Option::thinking_tokens});
            if (*tokens_ == 0)
                add("chat_template_kwargs", R"({"enable_thinking":false})",
                    {Option::thinking_tokens});
            tokens_.reset();
        }
        write_openrouter();
        return std::move(written_);
    }

private:
    /// OpenAI: https://developers.openai.com/api/reference/resources/chat (`reasoning_effort`).
    /// Mistral: https://docs.mistral.ai/en/studio-api/conversations/reasoning. Ollama: `FromChatRequest`
    /// in openai/openai.go. LM Studio: lmstudio-bug-tracker issue 2057. None of them has a budget.
    void write_standard() {
        if (tokens_ && *tokens_ > 0) leave_out_tokens();
        if (tokens_)
            add("reasoning_effort", quoted(ReasoningEffort::none), both());
        else if (effort_)
            add("reasoning_effort", quoted(*effort_), {Option::reasoning_effort});
    }

    /// One of both: https://openrouter.ai/docs/guides/best-practices/reasoning-tokens.
    void write_openrouter() {
        if (tokens_ && effort_ && *tokens_ > 0) leave_out_effort(conflicts);
        if (tokens_ && *tokens_ > 0)
            add("reasoning", R"({"max_tokens":)" + std::to_string(*tokens_) + "}", both());
        else if (tokens_ || effort_)
            add("reasoning",
                R"({"effort":)" + quoted(tokens_ ? ReasoningEffort::none : *effort_) + "}", both());
    }

    /// One of both: https://ai.google.dev/gemini-api/docs/openai. The body really has a member
    /// "extra_body".
    void write_gemini() {
        if (tokens_ && effort_) leave_out_effort(conflicts);
        if (tokens_)
            add("extra_body",
                R"({"google":{"thinking_config":{"thinking_budget":)" + std::to_string(*tokens_) +
                    "}}}",
                both());
        else if (effort_)
            add("reasoning_effort", quoted(*effort_), {Option::reasoning_effort});
    }

    /// tools/server/server-common.cpp. Until pull requests 26045 ("none") and 26941 of 2026, only
    /// chat_template_kwargs had an effect on the effort.
    void write_llama_server() {
        std::string kwargs;
        if (tokens_ == 0 || effort_ == ReasoningEffort::none)
            kwargs = R"({"enable_thinking":false})";
        else if (effort_)
            kwargs = R"({"reasoning_effort":)" + quoted(*effort_) + "}";
        if (effort_) add("reasoning_effort", quoted(*effort_), {Option::reasoning_effort});
        if (tokens_)
            add("thinking_budget_tokens", std::to_string(*tokens_), {Option::thinking_tokens});
        if (!kwargs.empty()) add("chat_template_kwargs", std::move(kwargs), causes_of_kwargs());
    }

    /// vllm/entrypoints/openai/chat_completion/protocol.py;
    /// https://docs.vllm.ai/en/latest/features/reasoning_outputs. The budget requires a reasoning
    /// parser of the server; templates without thinking ignore enable_thinking.
    void write_vllm() {
        if (effort_) add("reasoning_effort", quoted(*effort_), {Option::reasoning_effort});
        if (tokens_ && *tokens_ > 0)
            add("thinking_token_budget", std::to_string(*tokens_), {Option::thinking_tokens});
        if (tokens_ == 0 || effort_ == ReasoningEffort::none)
            add("chat_template_kwargs", R"({"enable_thinking":false})", causes_of_kwargs());
    }

    void add(std::string_view name, std::string json, std::vector<Option> options) {
        written_.members.push_back({name, std::move(json), std::move(options)});
    }
    void leave_out_effort(std::string_view reason) {
        effort_.reset();
        written_.unsent.push_back({Option::reasoning_effort, reason});
    }
    void leave_out_tokens() {
        tokens_.reset();
        written_.unsent.push_back({Option::thinking_tokens, not_supported_by_server});
    }
    /// The options that are sent.
    [[nodiscard]] std::vector<Option> both() const {
        std::vector<Option> options;
        if (effort_) options.push_back(Option::reasoning_effort);
        if (tokens_) options.push_back(Option::thinking_tokens);
        return options;
    }
    [[nodiscard]] std::vector<Option> causes_of_kwargs() const {
        if (tokens_ && *tokens_ > 0) return {Option::reasoning_effort};
        return both();
    }
    [[nodiscard]] static std::string quoted(ReasoningEffort effort) {
        return '"' + std::string(to_string(effort)) + '"';
    }

    std::optional<ReasoningEffort> effort_;
    std::optional<int> tokens_;
    ReasoningOptions written_;
};

} // namespace

std::string_view name_of(Option option) {
    switch (option) {
    case Option::reasoning_effort:
        return "reasoning_effort";
    case Option::thinking_tokens:
        return "thinking_tokens";
    case Option::response_format:
        return "response_format";
    case Option::image_detail:
        return "image_detail";
    }
    throw std::invalid_argument("not a wire::Option");
}

ReasoningOptions reasoning_options(const Sampling& sampling, const Quirks& quirks, Api api) {
    Writer writer(sampling, quirks);
    return api == Api::responses ? writer.write_for_responses(quirks.reasoning)
                                 : writer.write(quirks.reasoning);
}

} // namespace eyehand::vlm::wire
