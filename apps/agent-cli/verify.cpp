// agent-cli verify RUN
#include "eyehand/session/verify.hpp"
#include "commands.hpp"
#include "configuration.hpp"
#include "environment.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/run.hpp"
#include "platform.hpp"

namespace eyehand::cli {

ExitCode verify_run(const VerifyFlags& flags) {
    session::Config config = configuration(flags.config);
    add_journal_flag(config, flags.journal_key_file);
    session::Verification result;
    try {
        result = session::verify_run(agent::RunDirectory::open(path_of(flags.directory)),
                                     journal_key(config));
    } catch (const agent::Error& error) {
        throw UsageError(error.what());
    }
    print_to(stdout, session::to_text(result));
    return result.problems.empty() ? ExitCode::completed : ExitCode::failed;
}

} // namespace eyehand::cli
