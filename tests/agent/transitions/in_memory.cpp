#include "desktop.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

using namespace eyehand;

std::unique_ptr<winio::Desktop> test::quiet_desktop() {
    return std::make_unique<winio::testing::MemoryDesktop>(winio::Size{400, 300});
}
