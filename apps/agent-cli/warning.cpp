#include "warning.hpp"

#include "platform.hpp"
#include "terminal_view.hpp"

#include <set>

namespace eyehand::cli {

void warn_once(const std::string& text) {
    static std::set<std::string> printed;
    if (printed.insert(text).second)
        print_to(stderr, "agent-cli: warning: " + one_line(text) + "\n");
}

} // namespace eyehand::cli
