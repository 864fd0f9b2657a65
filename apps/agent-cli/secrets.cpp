#include "secrets.hpp"

#include "environment.hpp"
#include "eyehand/agent/error.hpp"
#include "platform.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace eyehand::cli {

agent::Secrets read_secrets(const std::string& file) {
    if (file.empty()) return {};
    forbid_core_dumps();
    agent::SecretSources sources;
    sources.variable = text_variable;
    if (input_is_terminal())
        sources.ask = [](const std::string& name) {
            return ask_hidden(fmt::format("Value of the secret {} (not shown): ", name));
        };
    try {
        return agent::load_secrets(path_of(file), sources);
    } catch (const agent::Error& error) {
        throw UsageError(error.what());
    }
}

void put_secrets(std::vector<agent::Setting>& settings, const agent::Secrets& secrets) {
    if (!secrets.empty())
        settings.push_back(
            {"secrets", fmt::format("{}", fmt::join(secrets.names(), ", ")), "--secrets"});
}

} // namespace eyehand::cli
