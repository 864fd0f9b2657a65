// The panel's foreign input: a journal from elsewhere, the fields of a request, a posted image. For
// any input the state is valid JSON, a request without the token is rejected, and a foreign host is
// not accepted as the panel's.
#include "access.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/base/base64.hpp"
#include "page_state.hpp"
#include "posted_screenshot.hpp"
#include "json/json.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

using namespace eyehand;

namespace {

using namespace agent;

/// Nested a little deeper than what our own reader takes, as entries lie within the state: pages
/// take it.
bool is_json(const std::string& text) {
    json::parse_options options;
    options.max_depth = 80;
    json::error_code error;
    (void)json::parse(text, error, {}, options);
    return !error;
}

void fold(std::string_view text) {
    static const Profile profile = load_profile("story");
    panel::PageState state("run", profile);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        state.apply(parse_event(text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (!is_json(to_text(state.to_json()))) std::abort();
    const RunView& run = state.view();
    if (run.turn_count() > panel::PageState::max_turns) std::abort();
    for (std::size_t i = 0; i < run.turn_count(); ++i)
        if (!is_json(to_text(state.to_json(run.turn(i))))) std::abort();
}

void knock(std::string_view text) {
    using web::Protection;
    static const web::Access access(
        {.host = "127.0.0.1", .port = 8080, .tokens = {"secret", "stream", "image"}});
    const auto has = [&](std::string_view secret) {
        return text.find(secret) != std::string_view::npos;
    };
    for (const Protection protection :
         {Protection::none, Protection::events, Protection::pictures, Protection::token}) {
        // An address never permits a command, and reads only what it is for.
        const web::Caller command{.method = "POST", .authorization = text, .url_token = text};
        if (access.permits(command, protection) && !has("secret")) std::abort();
        const web::Caller reader{.method = "GET", .url_token = text};
        const bool may = protection == Protection::none ||
                         (protection == Protection::events && text == "stream") ||
                         (protection == Protection::pictures && text == "image");
        if (access.permits(reader, protection) != may) std::abort();
        const std::string_view refusal =
            access.refusal({.method = "POST", .host = text}, protection);
        if (refusal.empty() && !text.ends_with(":8080")) std::abort();
        const web::Caller other{.method = "POST", .host = "127.0.0.1:8080", .origin = text};
        if (access.refusal(other, protection).empty() && text.size() != 0 &&
            text.size() != std::string_view("http://127.0.0.1:8080").size())
            std::abort();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    fold(text);
    knock(text);
    (void)panel::read_posted_screenshot(text, {2, 2});
    const auto back = base::from_base64(base::to_base64({data, size}));
    if (!back || !std::equal(back->begin(), back->end(), data, data + size)) std::abort();
    return 0;
}
