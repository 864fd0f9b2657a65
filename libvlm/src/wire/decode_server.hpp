// What servers tell about themselves and their models, each in its own words. Nothing here throws
// for what a server says: an answer that is none is nothing, and a member of the wrong type is as
// good as missing.
#pragma once

#include "eyehand/vlm/error.hpp"
#include "eyehand/vlm/probe.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::vlm::wire {

/// What one answer tells about one model; what it does not tell is not set.
struct ModelFacts {
    std::string id{};
    std::vector<std::string> other_names{}; ///< that a request may use as well
    bool chats = true;                      ///< false: it turns text into vectors
    std::optional<bool> loaded{};
    std::optional<int> context_tokens{}; ///< as it runs, not as it was trained
    Support images = Support::unknown;
    Support tools = Support::unknown;

    [[nodiscard]] bool is_called(std::string_view name) const;
    /// Takes from `other` everything but the names; what `other` knows counts more.
    void learn(const ModelFacts& other);
};

/// A list of models, and what it gives away about the server.
struct ModelList {
    ServerKind kind = ServerKind::unknown;
    bool routes = false; ///< llama-server that loads and unloads models as they are asked for
    std::vector<ModelFacts> models{};
};

/// A list in any of the known forms: /v1/models of every server (llama-server, vLLM and OpenRouter
/// tell more in it than ids), LM Studio's /api/v1/models and /api/v0/models, Ollama's /api/tags and
/// /api/ps.
[[nodiscard]] std::optional<ModelList> decode_model_list(std::string_view body);

/// What llama-server's /props tells; the model in it has no id.
struct LlamaProps {
    std::string version{};
    ModelFacts model{};
};
[[nodiscard]] std::optional<LlamaProps> decode_llama_props(std::string_view body);

/// Ollama's /api/show; the model has no id.
[[nodiscard]] std::optional<ModelFacts> decode_ollama_show(std::string_view body);

/// {"version": "0.12.3"}: Ollama's /api/version, vLLM's /version.
[[nodiscard]] std::optional<std::string> decode_version(std::string_view body);

/// Whether the answer to a request with a picture says that the model sees none, rather than that
/// something else went wrong.
[[nodiscard]] bool refuses_images(const Error& error);
/// The same of a request with a tool.
[[nodiscard]] bool refuses_tools(const Error& error);

} // namespace eyehand::vlm::wire
