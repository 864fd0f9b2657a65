#include "process/child_process.hpp"
#include "tools/program/run_program.hpp"

#include <windows.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace eyehand::agent {
namespace {

using Clock = std::chrono::steady_clock;
using How = ProgramEnd::How;

constexpr DWORD look_every = 10; // ms: interval of checks for its end, its output, and a stop

std::optional<Pipe> open_output() {
    HANDLE read = nullptr;
    HANDLE write = nullptr;
    if (CreatePipe(&read, &write, nullptr, 0) == 0) return std::nullopt;
    return Pipe{Handle(read), Handle(write)};
}

/// A file that is deleted with its handle: unlike a pipe, it can be filled without a reader.
Handle file_with(const std::string& text) {
    std::array<wchar_t, MAX_PATH + 1> folder{};
    std::array<wchar_t, MAX_PATH + 1> name{};
    if (GetTempPathW(static_cast<DWORD>(folder.size()), folder.data()) == 0 ||
        GetTempFileNameW(folder.data(), L"eye", 0, name.data()) == 0)
        return {};
    const HANDLE made =
        CreateFileW(name.data(), GENERIC_READ | GENERIC_WRITE,
                    FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr, CREATE_ALWAYS,
                    FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr);
    if (made == INVALID_HANDLE_VALUE) return {};
    Handle file(made);
    DWORD written = 0;
    if (WriteFile(file.get(), text.data(), static_cast<DWORD>(text.size()), &written, nullptr) ==
            0 ||
        written != text.size() ||
        SetFilePointer(file.get(), 0, nullptr, FILE_BEGIN) == INVALID_SET_FILE_POINTER)
        return {};
    return file;
}

/// Reads the available data, with a limit, because a program may write faster than this reads.
template <class Take>
void read_some(const Handle& from, Take take) {
    std::array<char, 16384> bytes{};
    for (int times = 0; times < 64; ++times) {
        DWORD there = 0;
        DWORD count = 0;
        if (PeekNamedPipe(from.get(), nullptr, 0, nullptr, &there, nullptr) == 0 || there == 0)
            return;
        const DWORD max = std::min(there, static_cast<DWORD>(bytes.size()));
        if (ReadFile(from.get(), bytes.data(), max, &count, nullptr) == 0 || count == 0) return;
        take(std::string_view(bytes.data(), count));
    }
}

} // namespace

ProgramEnd run_program(const ProgramCall& call) {
    ProgramEnd end;
    const auto not_started = [&] {
        end.problem = last_error();
        return end;
    };
    Handle in = file_with(call.input);
    if (!in.is_open()) return not_started();
    std::optional<Pipe> out = open_output();
    std::optional<Pipe> error = open_output();
    if (!out || !error) return not_started();
    std::optional<ChildProcess> child =
        ChildProcess::start({.command = call.command,
                             .folder = call.folder,
                             .environment = environment_without(call.hidden_variables),
                             .in = in.get(),
                             .out = out->write.get(),
                             .error = error->write.get()},
                            end.problem);
    if (!child) return end;
    in.close();
    out->write.close();
    error->write.close();

    const ProgramOutput output(call);
    const auto read_both = [&] {
        read_some(out->read, [&](std::string_view bytes) { output.out(bytes, end); });
        read_some(error->read, [&](std::string_view bytes) { output.error(bytes, end); });
    };
    const Clock::time_point until = Clock::now() + call.timeout;
    while (true) {
        const bool ended = child->wait(look_every);
        read_both(); // also the last output; its children may keep the pipes open for hours
        if (ended) {
            end.how = How::exited;
            end.status = child->let_go().status;
            return end;
        }
        if (call.stop && call.stop()) {
            end.how = How::stopped;
            break;
        }
        if (Clock::now() >= until) {
            end.how = How::timed_out;
            break;
        }
    }
    child->kill();
    read_both();
    return end;
}

} // namespace eyehand::agent
