// The reaction window on Windows: program.hpp describes it.
#include "../../../win32/dpi_awareness.hpp"
#include "program.hpp"

#include <windows.h>
#include <windowsx.h>
// After <windows.h>, which it needs.
#include <shellapi.h>

#include <algorithm>
#include <exception>
#include <utility>

using namespace reaction;
using namespace std::chrono_literals;

namespace {

constexpr POINT main_place{300, 120};

COLORREF color_of(Rgb color) {
    return RGB(color >> 16U & 0xFFU, color >> 8U & 0xFFU, color & 0xFFU);
}

RECT rect_of(const Box& box) { return {box.x, box.y, box.x + box.width, box.y + box.height}; }

class Win32Windows;
// A window procedure has no other access to the windows of its program.
Win32Windows* the_windows = nullptr;

class Win32Windows final : public Windows {
public:
    Win32Windows() {
        the_windows = this;
        WNDCLASSEXW type{};
        type.cbSize = sizeof type;
        type.lpfnWndProc = procedure;
        type.hCursor = LoadCursorW(nullptr, IDC_ARROW);
        type.lpszClassName = L"EyehandReactionWindow";
        RegisterClassExW(&type);
    }

    int run(Program& program) {
        program_ = &program;
        main_ = create(L"Reaction", WS_OVERLAPPED | WS_CAPTION | WS_SYSMENU, main_place,
                       window_size, nullptr);
        ShowWindow(main_, SW_SHOWNORMAL);
        SetForegroundWindow(main_);
        program.start();
        for (;;) {
            program.act();
            DWORD timeout = INFINITE;
            if (const auto due = program.due()) {
                const auto left = std::chrono::ceil<std::chrono::milliseconds>(*due - Clock::now());
                timeout = static_cast<DWORD>(std::max<std::int64_t>(left.count(), 0));
            }
            MsgWaitForMultipleObjectsEx(0, nullptr, timeout, QS_ALLINPUT, MWMO_INPUTAVAILABLE);
            MSG message{};
            while (PeekMessageW(&message, nullptr, 0, 0, PM_REMOVE) != FALSE) {
                if (message.message == WM_QUIT) return 0;
                TranslateMessage(&message);
                DispatchMessageW(&message);
            }
        }
    }

    void show(const Picture& picture) override {
        picture_ = picture;
        paint_now(main_, picture_);
    }
    void open_dialog(const Picture& picture) override {
        dialog_picture_ = picture;
        POINT at{dialog_place.x, dialog_place.y};
        ClientToScreen(main_, &at);
        dialog_ = create(L"Question", WS_POPUP | WS_CAPTION, at, dialog_place, main_);
        ShowWindow(dialog_, SW_SHOWNORMAL);
        SetForegroundWindow(dialog_);
        paint_now(dialog_, dialog_picture_);
        program_->dialog_is_visible();
    }
    void close_dialog() override {
        DestroyWindow(std::exchange(dialog_, nullptr));
        program_->dialog_is_gone();
    }

private:
    static HWND create(const wchar_t* title, DWORD style, POINT at, const Box& size, HWND owner) {
        RECT frame{0, 0, size.width, size.height};
        AdjustWindowRectEx(&frame, style, FALSE, 0);
        return CreateWindowExW(0, L"EyehandReactionWindow", title, style, at.x, at.y,
                               frame.right - frame.left, frame.bottom - frame.top, owner, nullptr,
                               nullptr, nullptr);
    }

    /// Paints the window, and waits until the screen shows the picture: reads its pixels back.
    static void paint_now(HWND window, const Picture& picture) {
        InvalidateRect(window, nullptr, FALSE);
        UpdateWindow(window);
        GdiFlush();
        // Wine copies what a program has painted to the screen when the program waits for messages.
        const auto end = Clock::now() + 60s;
        while (!shows(window, picture) && Clock::now() < end)
            MsgWaitForMultipleObjectsEx(0, nullptr, 1, 0, 0);
    }
    static bool shows(HWND window, const Picture& picture) {
        const HDC screen = GetDC(nullptr);
        const bool all = std::ranges::all_of(picture.probes, [&](const Probe& probe) {
            POINT at{probe.x, probe.y};
            ClientToScreen(window, &at);
            return GetPixel(screen, at.x, at.y) == color_of(probe.color);
        });
        ReleaseDC(nullptr, screen);
        return all;
    }

    /// Paints into memory first, so that each change reaches the screen in one piece.
    static void paint(HWND window, const Picture& picture) {
        PAINTSTRUCT paint{};
        const HDC dc = BeginPaint(window, &paint);
        const HDC memory = CreateCompatibleDC(dc);
        const HBITMAP bitmap = CreateCompatibleBitmap(dc, picture.width, picture.height);
        const HGDIOBJ previous = SelectObject(memory, bitmap);
        for (const Fill& fill : picture.fills) {
            const HBRUSH brush = CreateSolidBrush(color_of(fill.color));
            const RECT rect = rect_of(fill.box);
            FillRect(memory, &rect, brush);
            DeleteObject(brush);
        }
        BitBlt(dc, 0, 0, picture.width, picture.height, memory, 0, 0, SRCCOPY);
        SelectObject(memory, previous);
        DeleteObject(bitmap);
        DeleteDC(memory);
        EndPaint(window, &paint);
    }

    static LRESULT CALLBACK procedure(HWND window, UINT message, WPARAM w, LPARAM l) {
        Win32Windows& windows = *the_windows;
        const bool is_dialog = windows.dialog_ != nullptr && window == windows.dialog_;
        switch (message) {
        case WM_ERASEBKGND:
            return TRUE;
        case WM_PAINT:
            paint(window, is_dialog ? windows.dialog_picture_ : windows.picture_);
            return 0;
        case WM_LBUTTONDOWN:
            if (is_dialog)
                windows.program_->press_in_dialog(GET_X_LPARAM(l), GET_Y_LPARAM(l));
            else
                windows.program_->press(GET_X_LPARAM(l), GET_Y_LPARAM(l));
            return 0;
        case WM_CLOSE:
            if (is_dialog) return 0;
            windows.program_->close(); // before the window disappears
            DestroyWindow(window);
            PostQuitMessage(0);
            return 0;
        default:
            return DefWindowProcW(window, message, w, l);
        }
    }

    Program* program_ = nullptr;
    HWND main_ = nullptr;
    HWND dialog_ = nullptr;
    Picture picture_;
    Picture dialog_picture_;
};

std::string ascii(const wchar_t* text) {
    std::string result;
    for (; *text != L'\0'; ++text) result += static_cast<char>(*text);
    return result;
}

} // namespace

int WINAPI WinMain(HINSTANCE, HINSTANCE, LPSTR, int) {
    become_per_monitor_aware();
    int count = 0;
    wchar_t** arguments = CommandLineToArgvW(GetCommandLineW(), &count);
    if (arguments == nullptr || count != 3) return 2;
    const std::filesystem::path log(arguments[1]);
    const auto scenario = scenario_of(ascii(arguments[2]));
    LocalFree(arguments);
    if (!scenario) return 2;
    try {
        Win32Windows windows;
        Program program(log, *scenario, windows);
        return windows.run(program);
    } catch (const std::exception&) {
        return 1;
    }
}
