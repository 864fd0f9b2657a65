#include "modes/image_tokens_mode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace eyehand::agent {

void ImageTokensMode::apply(const Fact& fact) {
    if (const auto* seen = std::get_if<Observed>(&fact)) remember(*seen);
    if (const auto* replied = std::get_if<Replied>(&fact);
        replied != nullptr && replied->reply.usage.prompt_tokens && !warned_) {
        const Command command = inner_->next();
        // A refining request has only its crop; the next request continues the one before it.
        if (const auto* asked = std::get_if<Ask>(&command); asked != nullptr && !asked->refines)
            check(*asked, *replied->reply.usage.prompt_tokens);
    }
    inner_->apply(fact);
    pass_on_notes();
}

void ImageTokensMode::revise(const Observed& seen) {
    remember(seen);
    inner_->revise(seen);
    pass_on_notes();
}

void ImageTokensMode::remember(const Observed& seen) {
    if (!seen.model_size) return;
    tokens_.insert_or_assign(seen.sha256, image_tokens(*seen.model_size, processor_));
}

void ImageTokensMode::check(const Ask& asked, std::int64_t counted) {
    Prompt now;
    now.role = asked.role;
    now.counted = counted;
    for (const vlm::Message& message : asked.request.messages) {
        std::string text = message.text();
        now.text_bytes += static_cast<std::int64_t>(text.size());
        for (const vlm::Part& part : message.parts) {
            const auto* image = std::get_if<vlm::Image>(&part);
            if (image == nullptr) continue;
            const auto known = tokens_.find(image->sha256);
            if (known == tokens_.end())
                return; // in a result, or of an earlier version of this library
            now.image_tokens += known->second;
            now.images.push_back(image->sha256);
            text += image->sha256;
        }
        now.texts.push_back(std::move(text));
    }
    std::erase_if(tokens_, [&](const auto& known) {
        return std::ranges::find(now.images, known.first) == now.images.end();
    });
    for (const vlm::ToolSpec& tool : asked.request.tools)
        now.text_bytes +=
            static_cast<std::int64_t>(tool.description.size() + tool.parameters_json.size());
    constexpr std::int64_t max_bytes_per_token = 8; // English text and JSON have about 4
    const std::int64_t at_most = counted - now.text_bytes / max_bytes_per_token;
    const ImageResizing found = image_resizing(now.image_tokens, at_most);
    if (found == ImageResizing::shrunk)
        warn(now.image_tokens, at_most);
    else if (found != ImageResizing::unknown)
        compare(latest_, now);
    latest_ = std::move(now);
}

void ImageTokensMode::compare(const Prompt& before, const Prompt& now) {
    const std::int64_t expected = now.image_tokens - before.image_tokens;
    const std::int64_t more = now.counted - before.counted;
    const bool continues = before.role == now.role && before.texts.size() <= now.texts.size() &&
                           std::equal(before.texts.begin(), before.texts.end(), now.texts.begin());
    // Templates leave thoughts out of earlier messages.
    const bool thinks = std::ranges::any_of(now.texts, [](const std::string& text) {
        return text.find("<think") != std::string::npos;
    });
    if (!before.role.empty() && continues && !thinks &&
        image_resizing(expected * 3 / 4, more) == ImageResizing::shrunk)
        warn(expected, more);
}

void ImageTokensMode::warn(std::int64_t expected, std::int64_t counted) {
    warned_ = true;
    note("images",
         fmt::format("the server counts at most {} tokens for screenshots that have {} for {}: it "
                     "shrinks them, or does not count them; if it shrinks them, clicks on small "
                     "targets may miss: choose smaller screenshots (--image), or raise the "
                     "server's limit",
                     counted, expected, model_));
}

void ImageTokensMode::pass_on_notes() {
    for (Noted& noted : inner_->take_notes()) note(std::move(noted.kind), std::move(noted.text));
}

} // namespace eyehand::agent
