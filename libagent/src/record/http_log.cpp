#include "eyehand/agent/http_log.hpp"

#include "base/text.hpp"
#include "record/timestamp.hpp"
#include "json/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <istream>
#include <limits>
#include <string>
#include <string_view>

namespace eyehand::agent {
namespace {

constexpr const char* log_name = "http.log";
// Long prompts and schemas repeat in every request; prompts/ and run.json have them completely.
constexpr std::size_t log_prompt_limit = 400;

void shorten_text(json::value& text) {
    const json::string& whole = text.as_string();
    if (whole.size() > log_prompt_limit) {
        text = fmt::format("{} [{} bytes in all]",
                           shorten({whole.data(), whole.size()}, log_prompt_limit), whole.size());
    }
}

/// The content of a message: a text, or a list of parts.
void shorten_content(json::value* content) {
    if (content == nullptr) return;
    if (content->is_string()) shorten_text(*content);
    if (!content->is_array()) return;
    for (json::value& part : content->as_array()) {
        json::value* text = part.is_object() ? part.as_object().if_contains("text") : nullptr;
        if (text != nullptr && text->is_string()) shorten_text(*text);
    }
}

void shorten_messages(json::value* messages) {
    if (messages == nullptr || !messages->is_array()) return;
    for (json::value& message : messages->as_array()) {
        if (!message.is_object()) continue;
        for (const char* member : {"content", "output", "encrypted_content"})
            shorten_content(message.as_object().if_contains(member));
    }
}

/// Tools are objects with a name, in chat completions inside the member "function".
void keep_only_names(json::value* tools) {
    if (tools == nullptr || !tools->is_array()) return;
    for (json::value& tool : tools->as_array()) {
        if (!tool.is_object()) continue;
        const json::value* function = tool.as_object().if_contains("function");
        if (function == nullptr || !function->is_object()) function = &tool;
        const json::value* name = function->as_object().if_contains("name");
        if (name != nullptr) tool = json::value(*name);
    }
}

/// A request for the log, with shortened texts and only the names of tools.
std::string shortened_request(const std::string& body) {
    auto value = parse_json(body);
    if (!value || !value->is_object()) return body;
    json::object& request = value->as_object();
    shorten_messages(request.if_contains("messages"));
    // The Responses API.
    shorten_content(request.if_contains("instructions"));
    shorten_messages(request.if_contains("input"));
    keep_only_names(request.if_contains("tools"));
    return to_text(*value);
}

std::string entry_of(const vlm::Exchange& exchange, int number) {
    std::string text =
        fmt::format("[{}] #{} {} {}\n", timestamp(), number, exchange.method, exchange.url);
    if (!exchange.request_body.empty()) {
        text += "request: " + shortened_request(exchange.request_body) + "\n";
    }
    if (exchange.error.empty() || exchange.status != 0) {
        text += fmt::format("response: {} in {} ms\n{}\n", exchange.status,
                            exchange.elapsed.count(), to_valid_utf8(exchange.response_body));
    }
    if (!exchange.error.empty()) text += fmt::format("failed: {}\n", exchange.error);
    return text + "\n";
}

/// The number of the last entry in a log, 0 without entries: a resumed run continues the numbers.
int last_number(const RunStore& store) {
    const auto in = store.open_read(log_name);
    int last = 0;
    std::string line;
    while (in && std::getline(*in, line)) {
        constexpr std::string_view mark = "] #"; // "[2026-01-31T12:00:00Z] #7 POST http://..."
        constexpr std::size_t mark_at = 21;
        if (line.starts_with('[') && line.find(mark) == mark_at)
            std::from_chars(line.data() + mark_at + mark.size(), line.data() + line.size(), last);
    }
    return std::min(last, std::numeric_limits<int>::max() / 2); // the file may be damaged
}

} // namespace

void HttpLog::add(const vlm::Exchange& exchange) {
    kept_.push_back(exchange);
    if (store_ != nullptr) write();
}

void HttpLog::write_to(RunStore& store) {
    store_ = &store;
    written_ = last_number(store);
    write();
}

void HttpLog::write() {
    for (; !kept_.empty(); kept_.pop_front()) {
        store_->open_append(log_name)->append(entry_of(kept_.front(), written_ + 1));
        ++written_;
    }
}

} // namespace eyehand::agent
