// What differs between systems: arguments, terminals, signals.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cli {

/// The program's arguments in UTF-8, without the program's name.
[[nodiscard]] std::vector<std::string> utf8_arguments(int argc, char** argv);
/// The value of an environment variable in UTF-8; empty when it is not set.
[[nodiscard]] std::string environment_variable(const std::string& name);
/// Makes standard output and error take UTF-8 and exactly the bytes that are written.
void prepare_console();
[[nodiscard]] bool input_is_terminal();

/// Calls `on_interrupt` on a thread of its own at each Ctrl+C (and SIGTERM, or the closing of the
/// console) while it exists. At most one at a time.
class InterruptWatch {
public:
    explicit InterruptWatch(std::function<void()> on_interrupt);
    ~InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace cli
