#include "program.hpp"

#include "temp_folder.hpp"

#include <stdexcept>

#ifdef _WIN32
#include "eyehand/base/create_process.hpp"
#include "eyehand/base/utf16.hpp"

#include <windows.h>

#include <array>
#include <memory>
#else
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string_view>
#endif

namespace test {
namespace {

void write_file(const std::filesystem::path& file, const std::string& text) {
    std::ofstream out(file, std::ios::binary);
    out << text;
    if (!out.flush()) throw std::runtime_error(file.string() + " cannot be written");
}

std::filesystem::path wanted_or(const std::filesystem::path& wanted,
                                const std::filesystem::path& otherwise) {
    return wanted.empty() ? otherwise : wanted;
}

#ifdef _WIN32
constexpr const char* program_suffix = ".exe";
#else
constexpr const char* program_suffix = "";
#endif

} // namespace

std::filesystem::path program_file(const std::string& name) {
    return program_folder() / (name + program_suffix);
}

#ifdef _WIN32

namespace {

struct CloseHandleOf {
    using pointer = HANDLE;
    void operator()(HANDLE handle) const {
        if (handle != nullptr && handle != INVALID_HANDLE_VALUE) CloseHandle(handle);
    }
};
using Handle = std::unique_ptr<HANDLE, CloseHandleOf>;

/// Quotes an argument for CommandLineToArgvW, where backslashes are special only before a quote.
std::string in_quotes(const std::string& argument) {
    std::string text = "\"";
    std::size_t backslashes = 0;
    for (const char c : argument) {
        if (c == '"') text.append(backslashes + 1, '\\');
        backslashes = c == '\\' ? backslashes + 1 : 0;
        text += c;
    }
    return text.append(backslashes, '\\') + "\"";
}

Handle inheritable_file(const std::filesystem::path& file, DWORD access, DWORD creation) {
    SECURITY_ATTRIBUTES inherit{sizeof inherit, nullptr, TRUE};
    Handle handle(CreateFileW(file.c_str(), access, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherit,
                              creation, FILE_ATTRIBUTE_NORMAL, nullptr));
    if (handle.get() == INVALID_HANDLE_VALUE) throw std::runtime_error("no file for output");
    return handle;
}

bool runs_under_wine() {
    return GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != nullptr;
}

// Sends SIGINT to the process of this Wine prefix that has the arguments of this script. Other prefixes may run the
// same test at the same time.
constexpr std::string_view send_interrupt = R"sh(
for environ in $(grep -slzxF "WINEPREFIX=$WINEPREFIX" /proc/[0-9]*/environ); do
    process=${environ%/environ}
    case "$(tr '\0' ' ' <"$process/cmdline")" in *".exe $* "*) kill -INT "${process#/proc/}" ;; esac
done 2>/dev/null)sh";

/// Sends Ctrl+C like the user's terminal. Wine has no console here; its terminal is the Unix one,
/// which sends SIGINT.
void interrupt(DWORD process, const std::vector<std::string>& arguments) {
    if (!runs_under_wine()) {
        if (GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, process) == 0) {
            throw std::runtime_error("Ctrl+Break could not be sent");
        }
        return;
    }
    std::wstring command = L"Z:\\usr\\bin\\env sh -c";
    command += L" " + eyehand::base::to_wide(in_quotes(std::string(send_interrupt))) + L" sh";
    for (const std::string& argument : arguments)
        command += L" " + eyehand::base::to_wide(in_quotes(argument));
    STARTUPINFOW startup{};
    startup.cb = sizeof startup;
    PROCESS_INFORMATION info{};
    const DWORD refusal = eyehand::base::create_process([&] {
        return CreateProcessW(nullptr, command.data(), nullptr, nullptr, FALSE, 0, nullptr, nullptr,
                              &startup, &info);
    });
    // The handles in `info` mean nothing: Wine 8 does not set them for a Unix program.
    if (refusal != ERROR_SUCCESS) throw std::runtime_error("the shell does not start");
}

} // namespace

std::filesystem::path program_folder() {
    std::array<wchar_t, 1024> path{};
    GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
    return std::filesystem::path(path.data()).parent_path();
}

namespace {

ProcessResult run_once(const std::filesystem::path& program,
                       const std::vector<std::string>& arguments,
                       const Surroundings& surroundings) {
    const TempFolder folder;
    write_file(folder / "in", surroundings.input);
    const Handle in = inheritable_file(folder / "in", GENERIC_READ, OPEN_EXISTING);
    const std::filesystem::path out_file = wanted_or(surroundings.out, folder / "out");
    Handle out = inheritable_file(out_file, GENERIC_WRITE, CREATE_ALWAYS);
    const std::filesystem::path err_file = wanted_or(surroundings.err, folder / "err");
    Handle err = inheritable_file(err_file, GENERIC_WRITE, CREATE_ALWAYS);

    std::wstring command = L"\"" + program.wstring() + L".exe\"";
    for (const std::string& argument : arguments)
        command += L" " + eyehand::base::to_wide(in_quotes(argument));
    for (const auto& [name, value] : surroundings.variables) {
        SetEnvironmentVariableW(eyehand::base::to_wide(name).c_str(),
                                eyehand::base::to_wide(value).c_str());
    }
    STARTUPINFOW startup{};
    startup.cb = sizeof startup;
    startup.dwFlags = STARTF_USESTDHANDLES;
    startup.hStdInput = in.get();
    startup.hStdOutput = out.get();
    startup.hStdError = err.get();
    PROCESS_INFORMATION info{};
    // A separate process group, so that Ctrl+Break does not reach this program.
    const DWORD refusal = eyehand::base::create_process([&] {
        return CreateProcessW(
            nullptr, command.data(), nullptr, nullptr, TRUE, CREATE_NEW_PROCESS_GROUP, nullptr,
            surroundings.folder.empty() ? nullptr : surroundings.folder.c_str(), &startup, &info);
    });
    for (const auto& [name, value] : surroundings.variables)
        SetEnvironmentVariableW(eyehand::base::to_wide(name).c_str(), nullptr);
    if (refusal != ERROR_SUCCESS)
        throw std::runtime_error(program.string() + " does not start: error " +
                                 std::to_string(refusal));
    const Handle process(info.hProcess);
    const Handle thread(info.hThread);
    if (surroundings.while_running) {
        surroundings.while_running([&] { interrupt(info.dwProcessId, arguments); });
    }
    WaitForSingleObject(process.get(), INFINITE); // CTest has the time limit
    DWORD status = 0;
    GetExitCodeProcess(process.get(), &status);
    out.reset();
    err.reset();
    return {static_cast<int>(status), read_file(out_file), read_file(err_file)};
}

} // namespace

ProcessResult run_program(const std::filesystem::path& program,
                          const std::vector<std::string>& arguments,
                          const Surroundings& surroundings) {
    // Wine has failed once, in some ten thousand starts, to initialize a DLL of its own: the program
    // has not begun then. A DLL that never works fails three times.
    constexpr auto not_begun = static_cast<int>(STATUS_DLL_INIT_FAILED);
    for (int tries = 1;; ++tries) {
        ProcessResult result = run_once(program, arguments, surroundings);
        if (result.status != not_begun || tries == 3 || !runs_under_wine()) return result;
    }
}

#else

std::filesystem::path program_folder() {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

namespace {

/// The environment of this program, with these variables added or replaced.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& variables) {
    std::vector<std::string> all;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        if (!variables.contains(std::string(text.substr(0, text.find('=')))))
            all.emplace_back(text);
    }
    for (const auto& [name, value] : variables) all.push_back(name + "=" + value);
    return all;
}

} // namespace

ProcessResult run_program(const std::filesystem::path& program,
                          const std::vector<std::string>& arguments,
                          const Surroundings& surroundings) {
    const TempFolder folder;
    const std::string in = (folder / "in").string();
    write_file(in, surroundings.input);
    const std::string out = wanted_or(surroundings.out, folder / "out").string();
    const std::string err = wanted_or(surroundings.err, folder / "err").string();
    std::vector<std::string> words{program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::vector<std::string> environment = environment_with(surroundings.variables);
    std::vector<char*> variables;
    for (std::string& variable : environment) variables.push_back(variable.data());
    variables.push_back(nullptr);

    // Created before the program starts, so that observers of the files find them.
    write_file(out, {});
    write_file(err, {});

    // Not fork: between fork and exec, a program with threads must not allocate, as setenv does.
    posix_spawn_file_actions_t files{};
    posix_spawn_file_actions_init(&files);
    if (!surroundings.folder.empty())
        posix_spawn_file_actions_addchdir_np(&files, surroundings.folder.c_str());
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, in.c_str(), O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), O_WRONLY, 0);
    pid_t child = 0;
    const int error = posix_spawn(&child, argv[0], &files, nullptr, argv.data(), variables.data());
    posix_spawn_file_actions_destroy(&files);
    if (error != 0)
        throw std::runtime_error(program.string() + " does not start: " + std::strerror(error));
    if (surroundings.while_running) surroundings.while_running([&] { kill(child, SIGINT); });
    int status = 0;
    waitpid(child, &status, 0); // CTest has the time limit
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
}

#endif

} // namespace test
