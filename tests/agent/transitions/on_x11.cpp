#include "desktop.hpp"

std::unique_ptr<winio::Desktop> test::quiet_desktop() { return winio::open_desktop(); }
