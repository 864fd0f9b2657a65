// A program that uses Asio as headers and loads the plug-in. It exports its symbols, so that the dynamic linker would
// resolve the plug-in's symbols to them wherever the names are equal.
//   host PLUGIN RUNS_FOLDER
#include "use_asio.hpp"

#include <dlfcn.h>

int main(int, char** argv) {
    use_asio();
    void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!plugin) std::fprintf(stderr, "%s\n", dlerror());
    check(plugin != nullptr, "the plug-in is loaded");
    if (!plugin) return 1;
    const auto plugin_main = reinterpret_cast<int (*)(const char*)>(dlsym(plugin, "plugin_main"));
    check(plugin_main && plugin_main(argv[2]) == 0, "the plug-in's checks pass");
    use_asio();
    check(dlclose(plugin) == 0, "the plug-in is closed");
    use_asio();
    return failures == 0 ? 0 : 1;
}
