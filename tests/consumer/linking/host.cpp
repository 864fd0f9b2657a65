// A program that uses Asio as headers and loads the plugin. On Linux it exports its symbols, so that the dynamic linker
// would resolve the plugin's symbols to them wherever the names are equal.
//   host PLUGIN RUNS_FOLDER
#include "use_asio.hpp"

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

using PluginMain = int (*)(const char* runs);

#ifdef _WIN32
HMODULE open_plugin(const char* file) { return LoadLibraryA(file); }
PluginMain find_plugin_main(HMODULE plugin) {
    return reinterpret_cast<PluginMain>(
        reinterpret_cast<void*>(GetProcAddress(plugin, "plugin_main")));
}
bool close_plugin(HMODULE plugin) { return FreeLibrary(plugin) != 0; }
#else
void* open_plugin(const char* file) {
    void* const plugin = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (plugin == nullptr) std::fprintf(stderr, "%s\n", dlerror());
    return plugin;
}
PluginMain find_plugin_main(void* plugin) {
    return reinterpret_cast<PluginMain>(dlsym(plugin, "plugin_main"));
}
bool close_plugin(void* plugin) { return dlclose(plugin) == 0; }
#endif

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    use_asio();
    const auto plugin = open_plugin(argv[1]);
    check(plugin != nullptr, "the plugin is loaded");
    if (plugin == nullptr) return 1;
    const PluginMain plugin_main = find_plugin_main(plugin);
    check(plugin_main != nullptr && plugin_main(argv[2]) == 0, "the plugin's checks pass");
    use_asio();
    check(close_plugin(plugin), "the plugin is closed");
    use_asio();
    return failures == 0 ? 0 : 1;
}
