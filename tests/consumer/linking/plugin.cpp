// A plugin that contains Eyehand and exports a single function.
#include "use_eyehand.hpp"

#ifdef _WIN32
#define PLUGIN_API __declspec(dllexport)
#else
#define PLUGIN_API __attribute__((visibility("default")))
#endif

extern "C" PLUGIN_API int plugin_main(const char* runs) { return use_eyehand(runs); }
