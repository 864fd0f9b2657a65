// agent-cli: the command line of Eyehand. See commands.hpp.
#include "commands.hpp"
#include "platform.hpp"

#include <cstdio>
#include <exception>

using namespace eyehand;

int main(int argc, char** argv) {
    try {
        cli::prepare_console();
        return cli::run_program(cli::utf8_arguments(argc, argv));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "agent-cli: %s\n", error.what());
        return static_cast<int>(cli::ExitCode::failed);
    }
}
