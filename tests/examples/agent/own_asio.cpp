// Linked into each example: the application's own Boost.Asio, from its headers. With EYEHAND_TEST_OWN_ASIO in the
// environment, the program only uses that, and ends with 0 if it works.
#include "../../consumer/linking/use_asio.hpp"

#include <cstdlib>

namespace {

struct BeforeMain {
    BeforeMain() {
        if (std::getenv("EYEHAND_TEST_OWN_ASIO") == nullptr) return;
        use_asio();
        std::_Exit(failures == 0 ? 0 : 1);
    }
};
const BeforeMain before_main;

} // namespace
