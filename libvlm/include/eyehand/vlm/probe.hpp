// What a server is, which models it has, and what they can do.
//
//     const vlm::ServerInfo server = vlm::probe(options, "qwen3-vl-4b");
//     if (server.model.images == vlm::Support::no) fmt::print("load a vision model\n");
//     vlm::OpenAiClient model(vlm::apply_capabilities(options, server));
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/vlm/error.hpp"
#include "eyehand/vlm/openai_client.hpp"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::vlm {

enum class ServerKind {
    unknown,
    lm_studio,
    llama_server,
    ollama,
    vllm,
    openai,
    openrouter,
    gemini
};

/// "LM Studio", "llama-server" ...; "unknown server".
[[nodiscard]] EYEHAND_VLM_API std::string_view to_string(ServerKind kind);

enum class Support { unknown, no, yes };

struct ModelInfo {
    std::string id{};                    ///< as a request names it
    bool loaded = false;                 ///< ready to answer; a server that does not tell: true
    std::optional<int> context_tokens{}; ///< of the loaded instance, not what it was trained for
    Support images = Support::unknown;   ///< whether it sees them
    Support tools = Support::unknown;    ///< whether it calls them by itself
};

struct ServerInfo {
    ServerKind kind = ServerKind::unknown;
    std::string version{}; ///< as the server tells it, or empty
    /// Those that can be asked. Only of the chosen one everything is found out that can be.
    std::vector<ModelInfo> models{};
    ModelInfo model{};                ///< the chosen one; its id is empty if it is not there
    std::vector<std::string> notes{}; ///< for people: what could not be found out, and why
};

struct ProbeOptions {
    /// What no list tells is tried out: a request with one small picture, one with one tool, each
    /// for at most a few tokens, within the client's own limits. May load the model, and wait for
    /// it.
    bool active = false;
    bool bypass_cache = false; ///< does not take, but renews what is remembered
    /// For each of the questions but those of `ask`; of 0 or less: any time.
    std::chrono::milliseconds timeout{10000};
    /// For all of these questions together; of 0 or less: any time. A question for which no time is
    /// left has timed out: what it would have told is unknown, and a note.
    std::chrono::milliseconds total_timeout{0};
};

/// Finds out by /v1/models, LM Studio's /api/v1/models, llama-server's /props and the like what
/// serves `client.endpoint`. `model` empty: the only or first loaded one. Ollama's names may come
/// without ":latest", Gemini's without "models/", and llama-server with one model takes any name.
///
/// Remembered in the process for each endpoint, key and model, once the model is there and loaded
/// and no question was lost on the way. Throws Error if the server cannot be reached, does not
/// accept the key, is still loading (`overloaded`) or answers no list of models; an empty list is
/// none of these. What only one of the further questions fails at is unknown, and a note.
/// std::invalid_argument for a key with a line break. Failed questions are not repeated, whatever
/// `client.retries` says. Each exchange goes to `client.on_exchange`. Thread-safe.
[[nodiscard]] EYEHAND_VLM_API ServerInfo probe(const ClientOptions& client,
                                               const std::string& model = {},
                                               const ProbeOptions& options = {},
                                               std::stop_token stop = {});

/// `client` with the quirks that `server` needs, such as tools described in words for a model that
/// cannot call them, besides those of its host name (`quirks_of`). Quirks that are set already
/// stay.
[[nodiscard]] EYEHAND_VLM_API ClientOptions apply_capabilities(ClientOptions client,
                                                               const ServerInfo& server);

/// How many tokens a picture costs a Qwen3-VL model: (width / 32) * (height / 32) + 2, from its
/// model card, where each side is first brought to the nearest multiple of 32, as the model's image
/// processor does. For comparing with what the server counted: many fewer mean that it shrank the
/// picture. Throws std::invalid_argument for a side below 1.
[[nodiscard]] EYEHAND_VLM_API int qwen3_image_tokens(int width, int height);

} // namespace eyehand::vlm
