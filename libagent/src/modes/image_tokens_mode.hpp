// Notices a server that shrinks screenshots, by the tokens that it counts.
#pragma once

#include "eyehand/agent/coordinates.hpp"
#include "eyehand/agent/mode.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace eyehand::agent {

/// Wraps the mode of a model whose image tokens are known, and writes a note "images" once if the server
/// has counted too few: it shrinks screenshots before the model receives them, so that small targets are
/// lost and model pixels are wrong.
///
/// Two comparisons (`image_resizing`) cannot fail for a server that counts image tokens and leaves
/// images as they are: a prompt has at least the tokens of its images and one for 8 bytes of its texts;
/// and a prompt that only continues the one before it has at least the tokens of the new images more.
/// The second one tolerates a quarter, because templates may leave out parts of earlier messages.
class ImageTokensMode final : public Mode {
public:
    ImageTokensMode(std::unique_ptr<Mode> inner, std::string model, const ImageProcessor& processor)
        : inner_(std::move(inner)), model_(std::move(model)), processor_(processor) {}

    [[nodiscard]] Command next() const override { return inner_->next(); }
    [[nodiscard]] bool finished() const override { return inner_->finished(); }
    void apply(const Fact& fact) override;
    void revise(const Observed& seen) override;
    [[nodiscard]] ModeState state() const override { return inner_->state(); }

private:
    struct Prompt {
        std::string role;
        std::vector<std::string> texts;  ///< of the messages, with the hashes of their images
        std::vector<std::string> images; ///< hashes
        std::int64_t text_bytes = 0;     ///< including tools
        std::int64_t image_tokens = 0;   ///< expected
        std::int64_t counted = 0;        ///< of the prompt, by the server
    };

    void remember(const Observed& seen);
    void check(const Ask& asked, std::int64_t counted);
    void compare(const Prompt& before, const Prompt& now);
    void warn(std::int64_t expected, std::int64_t counted);
    void pass_on_notes();

    std::unique_ptr<Mode> inner_;
    const std::string model_;
    const ImageProcessor processor_;
    std::map<std::string, std::int64_t, std::less<>> tokens_; ///< of screenshots, by hash
    Prompt latest_;
    bool warned_ = false;
};

} // namespace eyehand::agent
