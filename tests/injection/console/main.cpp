// A program in a console: eyehand-test-console confirmation|mouse READY MARK
// creates the file READY, then waits for Enter or for a press of a mouse button, creates the file
// MARK, and continues until it is ended.
//   list FOLDER  writes the names in the folder
//   say TEXT     writes the text
#include <windows.h>

#include <cstdio>
#include <filesystem>
#include <string_view>

namespace {

bool create(const char* file) {
    const HANDLE handle =
        CreateFileA(file, GENERIC_WRITE, 0, nullptr, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, nullptr);
    return handle != INVALID_HANDLE_VALUE && CloseHandle(handle) != 0;
}

bool is_enter(const INPUT_RECORD& record) {
    return record.EventType == KEY_EVENT && record.Event.KeyEvent.bKeyDown != 0 &&
           record.Event.KeyEvent.wVirtualKeyCode == VK_RETURN;
}

bool is_press(const INPUT_RECORD& record) {
    return record.EventType == MOUSE_EVENT && record.Event.MouseEvent.dwButtonState != 0;
}

int answer(std::string_view what, const char* argument) {
    if (what == "say")
        std::puts(argument);
    else if (what == "list")
        for (const auto& entry : std::filesystem::directory_iterator(argument))
            std::puts(entry.path().filename().string().c_str());
    else
        return 2;
    return 0;
}

} // namespace

int main(int count, char** arguments) {
    if (count == 3) return answer(arguments[1], arguments[2]);
    if (count != 4) return 2;
    const bool mouse = std::string_view(arguments[1]) == "mouse";
    const HANDLE input =
        CreateFileW(L"CONIN$", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                    nullptr, OPEN_EXISTING, 0, nullptr);
    // With ENABLE_EXTENDED_FLAGS alone, the console does not select text with the mouse.
    if (input == INVALID_HANDLE_VALUE ||
        SetConsoleMode(input, ENABLE_EXTENDED_FLAGS | ENABLE_MOUSE_INPUT) == 0)
        return 3;
    std::puts(mouse ? "Click to continue" : "Press Enter to continue");
    if (!create(arguments[2])) return 4;
    INPUT_RECORD record{};
    DWORD read = 0;
    while (ReadConsoleInputW(input, &record, 1, &read) != 0)
        if (read == 1 && (mouse ? is_press(record) : is_enter(record)) && !create(arguments[3]))
            return 5;
    return 6;
}
