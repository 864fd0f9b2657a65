#include "refused_options.hpp"

#include "contains_any.hpp"
#include "utf8.hpp"

#include <algorithm>
#include <string>
#include <variant>

namespace eyehand::vlm::wire {
namespace {

/// Whether an error message in lower case names a member of the request's body. Servers name its
/// inner members or its meaning, too.
bool names(std::string_view lower, std::string_view member) {
    if (member ==
        "reasoning_effort") // Ollama: "invalid reasoning value", "does not support thinking"
        return contains_any(lower, {"reasoning_effort", "reasoning.effort", "reasoning effort",
                                    "parameter: 'reasoning'", "reasoning value",
                                    "not support thinking", "not support reasoning"});
    if (member == "reasoning") // OpenRouter: "Reasoning is mandatory for this endpoint"
        return contains_any(lower, {"reasoning"});
    if (member == "extra_body") // Gemini: "This model only works in thinking mode"
        return contains_any(lower, {"extra_body", "thinking_config", "thinking_budget",
                                    "thinking budget", "thinking mode"});
    if (member == "chat_template_kwargs")
        return contains_any(lower, {"chat_template_kwargs", "enable_thinking"});
    return contains_any(lower, {member});
}

bool names_response_format(std::string_view lower) {
    return contains_any(lower, {"response_format", "response format", "text.format", "json_schema",
                                "structured output"});
}

bool rejects_request(const Error& error) {
    return error.code() == errc::http_status && (error.status() == 400 || error.status() == 422);
}

bool has_image(const ChatRequest& request) {
    const auto is_image = [](const Part& part) { return std::holds_alternative<Image>(part); };
    return std::any_of(request.messages.begin(), request.messages.end(), [&](const Message& it) {
        return std::any_of(it.parts.begin(), it.parts.end(), is_image);
    });
}

/// Whether an error says that a word is not a value of some option. The words after it are those that the
/// server supports. OpenAI: "Invalid value: 'xhigh'. Supported values are: 'none', 'low', and 'high'.",
/// "Unsupported value: 'minimal' is not supported with this model."; serde: "unknown variant `xhigh`".
bool rejects_value(std::string_view lower, std::string_view word) {
    for (const std::string_view before :
         {"invalid value: ", "unsupported value: ", "unknown variant "})
        for (const std::string_view quote : {"'", "\"", "`"}) {
            std::string rejected(before);
            rejected.append(quote).append(word).append(quote);
            if (contains_any(lower, {rejected})) return true;
        }
    return false;
}

/// OpenAI: "Invalid value: 'original'. Supported values are: 'auto', 'low', and 'high'.". Pydantic
/// names the path ("image_url.detail", "image_url -> detail"). "detail" alone is also the name of the
/// error in FastAPI.
bool names_image_detail(std::string_view lower, ImageDetail detail) {
    return contains_any(lower,
                        {"image_url.detail", "image_url -> detail", "image_detail", "image detail",
                         "'detail'", "\"detail\"", "`detail`", "].detail"}) ||
           rejects_value(lower, to_string(detail));
}

} // namespace

std::vector<UnsentOption> unsent_options(const ChatRequest& request, const Quirks& quirks,
                                         Api api) {
    std::vector<UnsentOption> unsent = reasoning_options(request.sampling, quirks, api).unsent;
    if (request.response_format && quirks.no_response_format)
        unsent.push_back({Option::response_format, not_supported_by_server});
    if (request.sampling.image_detail && quirks.no_image_detail && has_image(request))
        unsent.push_back({Option::image_detail, not_supported_by_server});
    return unsent;
}

std::vector<Option> refused_options(const Error& error, const ChatRequest& request,
                                    const Quirks& quirks, Api api) {
    std::vector<Option> refused;
    if (!rejects_request(error)) return refused;
    const std::string lower = ascii_lower(error.server_message());
    const auto add = [&](Option option) {
        if (std::find(refused.begin(), refused.end(), option) == refused.end())
            refused.push_back(option);
    };
    const ReasoningOptions reasoning = reasoning_options(request.sampling, quirks, api);
    for (const OptionMember& member : reasoning.members)
        // Errors about the reasoning in the input do not concern the option.
        if (names(lower, api == Api::responses && member.name == "reasoning" ? "reasoning_effort"
                                                                             : member.name))
            std::for_each(member.options.begin(), member.options.end(), add);
    const auto detail = request.sampling.image_detail;
    const bool has_detail = detail && !quirks.no_image_detail && has_image(request);
    const auto effort = request.sampling.reasoning_effort;
    const auto is_effort = [](Option option) { return option == Option::reasoning_effort; };
    const bool sends_effort =
        effort &&
        std::any_of(reasoning.members.begin(), reasoning.members.end(),
                    [&](const OptionMember& member) {
                        return std::any_of(member.options.begin(), member.options.end(), is_effort);
                    });
    // A word of both options is first taken for that of the detail.
    const bool is_shared = has_detail && effort && to_string(*detail) == to_string(*effort);
    if (sends_effort && !is_shared && rejects_value(lower, to_string(*effort)))
        add(Option::reasoning_effort);
    if (request.response_format && !quirks.no_response_format && names_response_format(lower))
        add(Option::response_format);
    if (has_detail && names_image_detail(lower, *detail)) add(Option::image_detail);
    return refused;
}

bool refuses_encrypted_reasoning(const Error& error) {
    return rejects_request(error) &&
           contains_any(ascii_lower(error.server_message()),
                        {"encrypted content is not supported", "encrypted_content is not supported",
                         "reasoning.encrypted_content", "'include'", "\"include\"", "`include`",
                         "include["});
}

bool refuses_reasoning_items(const Error& error) {
    if (!rejects_request(error)) return false;
    const std::string lower = ascii_lower(error.server_message());
    return error.details().server_code == "invalid_encrypted_content" ||
           (contains_any(lower, {"encrypted content"}) &&
            contains_any(lower, {"could not be verified", "could not be decrypted"}));
}

void leave_out(Option option, Quirks& quirks) {
    switch (option) {
    case Option::reasoning_effort:
        quirks.no_reasoning_effort = true;
        break;
    case Option::thinking_tokens:
        quirks.no_thinking_tokens = true;
        break;
    case Option::response_format:
        quirks.no_response_format = true;
        break;
    case Option::image_detail:
        quirks.no_image_detail = true;
        break;
    }
}

} // namespace eyehand::vlm::wire
