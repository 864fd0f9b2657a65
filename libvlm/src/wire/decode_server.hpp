// Decodes the facts that servers report about themselves and their models, each in its own format.
// Malformed answers never cause an exception: an unusable answer gives nothing, and a member of the
// wrong type counts as missing.
#pragma once

#include "eyehand/vlm/error.hpp"
#include "eyehand/vlm/probe.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::vlm::wire {

/// The facts about one model in one answer. Facts that are missing there are not set.
struct ModelFacts {
    std::string id{};
    std::vector<std::string> other_names{}; ///< that a request may also use
    bool chats = true;                      ///< false: an embedding model
    std::optional<bool> loaded{};
    std::optional<int> context_tokens{}; ///< of the loaded model, not of the training
    Support images = Support::unknown;
    Support tools = Support::unknown;

    [[nodiscard]] bool is_called(std::string_view name) const;
    /// Takes the facts of `other`, except the names. They take precedence over those known so far.
    void learn(const ModelFacts& other);
};

inline constexpr std::size_t max_model_name = 1000; ///< bytes; longer than any known model's name
inline constexpr std::size_t max_models = 5000;     ///< ten times the number of OpenRouter's models

/// A list of models, and the facts about the server that follow from it. At most `max_models`; a
/// longer name counts as missing.
struct ModelList {
    ServerKind kind = ServerKind::unknown;
    bool routes = false; ///< a llama-server that loads and unloads models on demand
    std::vector<ModelFacts> models{};
};

/// Decodes a list in any known form: /v1/models of every server (llama-server, vLLM and OpenRouter
/// include more than ids), LM Studio's /api/v1/models and /api/v0/models, Ollama's /api/tags and
/// /api/ps.
[[nodiscard]] std::optional<ModelList> decode_model_list(std::string_view body);

/// llama-server's /props; the model has no id.
struct LlamaProps {
    std::string version{};
    ModelFacts model{};
};
[[nodiscard]] std::optional<LlamaProps> decode_llama_props(std::string_view body);

/// One slot of llama-server, which processes one request at a time.
struct LlamaSlot {
    bool is_processing = false;
    std::optional<std::int64_t> task{}; ///< the request that it processes or processed last
    int generated_tokens = 0;           ///< for that request so far; 0 also if unknown
};
/// llama-server's /slots, since November 2024: before llama.cpp's pull request 10162, slots had a
/// `state` instead of `is_processing`. Gives nothing if a slot is malformed or the list is empty.
[[nodiscard]] std::optional<std::vector<LlamaSlot>> decode_llama_slots(std::string_view body);

/// Ollama's /api/show; the model has no id.
[[nodiscard]] std::optional<ModelFacts> decode_ollama_show(std::string_view body);

/// {"version": "0.12.3"}: Ollama's /api/version, vLLM's /version.
[[nodiscard]] std::optional<std::string> decode_version(std::string_view body);

/// Whether the error of a request with an image means that the model does not support images, and
/// not some other failure.
[[nodiscard]] bool refuses_images(const Error& error);
/// The same for a request with a tool.
[[nodiscard]] bool refuses_tools(const Error& error);

} // namespace eyehand::vlm::wire
