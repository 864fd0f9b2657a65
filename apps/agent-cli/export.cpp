// agent-cli export
#include "commands.hpp"
#include "environment.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/session/script.hpp"
#include "platform.hpp"

namespace eyehand::cli {

ExitCode export_run(const std::string& directory) {
    try {
        print_to(stdout, session::script_of(agent::RunDirectory::open(path_of(directory))));
    } catch (const agent::Error& error) {
        throw UsageError(error.what());
    }
    return ExitCode::completed;
}

} // namespace eyehand::cli
