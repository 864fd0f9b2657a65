#include "server_facts.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <thread>

namespace eyehand::cli {
namespace {

// A server on this machine answers in milliseconds, one far away within a second; a run that waits
// longer for what it can do without would seem to hang.
constexpr std::chrono::milliseconds patience{1500}; ///< for one question
constexpr std::chrono::milliseconds all_in_all{3000};

/// Triggers its token after some time.
class TimeLimit {
public:
    explicit TimeLimit(std::chrono::milliseconds limit)
        : thread_([this, limit] {
              std::unique_lock lock(mutex_);
              if (!over_.wait_for(lock, limit, [this] { return ended_; })) source_.request_stop();
          }) {}
    ~TimeLimit() {
        {
            const std::lock_guard lock(mutex_);
            ended_ = true;
        }
        over_.notify_all();
        thread_.join();
    }
    TimeLimit(const TimeLimit&) = delete;
    TimeLimit& operator=(const TimeLimit&) = delete;
    [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

private:
    std::mutex mutex_;
    std::condition_variable over_;
    bool ended_ = false;
    std::stop_source source_;
    std::thread thread_; // last: it uses the others
};

std::string word_for(vlm::Support known) {
    if (known == vlm::Support::unknown) return "unknown";
    return known == vlm::Support::yes ? "yes" : "no";
}

} // namespace

std::optional<vlm::ServerInfo> ask_server(const vlm::ClientOptions& client,
                                          const std::string& model) {
    const TimeLimit limit(all_in_all);
    try {
        return vlm::probe(client, model, {.timeout = patience}, limit.token());
    } catch (const vlm::Error&) {
        return std::nullopt; // whatever it is: the first request meets it, too, and tells it
    }
}

std::vector<agent::Setting> settings_of(const vlm::ServerInfo& server) {
    std::vector<agent::Setting> all;
    const auto put = [&](const char* name, std::string value) {
        all.push_back({name, std::move(value), "probe"});
    };
    std::string kind(vlm::to_string(server.kind));
    if (!server.version.empty()) kind += " " + server.version;
    put("server", std::move(kind));
    const vlm::ModelInfo& model = server.model;
    put("served_model", model.id); // empty: it is not there
    if (model.id.empty()) return all;
    if (model.context_tokens) put("context_tokens", fmt::format("{}", *model.context_tokens));
    put("sees_images", word_for(model.images));
    put("calls_tools", word_for(model.tools));
    return all;
}

bool fit_profile(const vlm::ServerInfo& server, winio::Size screen, agent::Profile& profile) {
    if (!server.model.context_tokens) return false;
    const winio::Size picture = winio::picture_size(screen, profile.image);
    return agent::mode_of(profile).fit_context(
        profile, vlm::qwen3_image_tokens(picture.width, picture.height),
        *server.model.context_tokens);
}

} // namespace eyehand::cli
