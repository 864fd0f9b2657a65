// The run of agent-cli on a desktop in memory, for faults that cannot be made on the desktop of a test machine:
//   eyehand-memory-agent ENDPOINT RUN_DIR FAULT
// FAULT: "locked", "locked for a moment", "input half accepted". Prints "held" if a key or button is held at the end.
#include "commands.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "platform.hpp"
#include "settings.hpp"

#include <cstdio>
#include <stdexcept>
#include <string>

using namespace eyehand;
using winio::testing::MemoryDesktop;

namespace {

/// The fault begins after the first screenshot.
void add_fault(MemoryDesktop& desktop, const std::string& fault) {
    if (fault == "input half accepted") {
        desktop.accept_at_most(3);
    } else if (fault == "locked" || fault == "locked for a moment") {
        desktop.on_input = [&desktop, fault](const winio::InputEvent&) {
            constexpr int for_good = 1000000;
            desktop.fail_next_captures(winio::errc::capture_unavailable,
                                       fault == "locked" ? for_good : 1);
        };
    } else {
        throw std::invalid_argument("unknown fault: " + fault);
    }
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    try {
        cli::prepare_console();
        cli::RunFlags flags;
        flags.task = "do it";
        flags.server.endpoint = argv[1];
        flags.run_dir = argv[2];
        flags.no_probe = true;
        MemoryDesktop desktop(winio::Size{1000, 800});
        add_fault(desktop, argv[3]);
        cli::RunSettings settings = cli::resolve(flags);
        const agent::Outcome outcome = cli::carry_out(flags, settings, desktop).finished.outcome;
        if (desktop.holds_anything()) std::puts("held");
        return static_cast<int>(cli::exit_code(outcome));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
