// A plug-in that contains Eyehand and exports a single function.
#include "use_eyehand.hpp"

extern "C" __attribute__((visibility("default"))) int plugin_main(const char* runs) {
    return use_eyehand(runs);
}
