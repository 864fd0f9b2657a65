#include "desktop.hpp"

using namespace eyehand;

std::unique_ptr<winio::Desktop> test::quiet_desktop() { return winio::open_desktop(); }
