// All public headers of eyehand::panel.
#pragma once

#include "eyehand/panel/panel.hpp"
