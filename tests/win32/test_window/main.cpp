// The program that the tests control: a text field, two buttons and a painted area. It reports the
// received input through shared memory: eyehand-test-window MAPPING X Y
#include "../dpi_awareness.hpp"
#include "state.hpp"

#include <windows.h>
#include <windowsx.h>
// After <windows.h>, which it needs.
#include <shellapi.h>

#include <cstdlib>
#include <cwchar>
#include <set>

namespace {

constexpr int id_a = 101;
constexpr int id_b = 102;

TestWindowState* state = nullptr;
HWND edit = nullptr;
HWND button_a = nullptr;
HWND button_b = nullptr;
HWND area = nullptr;
std::set<WPARAM> held_keys;

void publish(HWND window, SharedRect& into) {
    RECT rect{};
    GetWindowRect(window, &rect);
    into.left = rect.left;
    into.top = rect.top;
    into.right = rect.right;
    into.bottom = rect.bottom;
}

void publish_places() {
    publish(edit, state->edit);
    publish(button_a, state->button_a);
    publish(button_b, state->button_b);
    publish(area, state->area);
}

void publish_edit() {
    state->edit_focused = GetFocus() == edit && GetForegroundWindow() == GetParent(edit);
    DWORD begin = 0;
    DWORD end = 0;
    SendMessageW(edit, EM_GETSEL, reinterpret_cast<WPARAM>(&begin), reinterpret_cast<LPARAM>(&end));
    state->selection_begin = static_cast<int>(begin);
    state->selection_end = static_cast<int>(end);
    state->text_length =
        GetWindowTextW(edit, state->text, static_cast<int>(std::size(state->text)));
}

void paint_area(HWND window) {
    PAINTSTRUCT paint{};
    const HDC dc = BeginPaint(window, &paint);
    RECT rect{};
    GetClientRect(window, &rect);
    RECT left = rect;
    left.right = rect.right / 2;
    RECT right = rect;
    right.left = left.right;
    const HBRUSH left_brush = CreateSolidBrush(area_left_color);
    const HBRUSH right_brush = CreateSolidBrush(area_right_color);
    FillRect(dc, &left, left_brush);
    FillRect(dc, &right, right_brush);
    DeleteObject(left_brush);
    DeleteObject(right_brush);
    EndPaint(window, &paint);
    GdiFlush();
    state->ready = 1;
}

// Like a control that is pressed, and then reacts late.
void darken(HWND window, bool everything) {
    RECT rect{};
    GetClientRect(window, &rect);
    if (!everything)
        rect = {rect.right / 2 - 40, rect.bottom / 2 - 12, rect.right / 2 + 40,
                rect.bottom / 2 + 12};
    const HDC dc = GetDC(window);
    FillRect(dc, &rect, static_cast<HBRUSH>(GetStockObject(BLACK_BRUSH)));
    ReleaseDC(window, dc);
    GdiFlush();
}

// Whether the pointer is more than a pixel away from the place where the left button was pressed.
bool has_strayed(LPARAM pressed_at, LPARAM now) {
    return std::abs(GET_X_LPARAM(now) - GET_X_LPARAM(pressed_at)) > 1 ||
           std::abs(GET_Y_LPARAM(now) - GET_Y_LPARAM(pressed_at)) > 1;
}

LRESULT CALLBACK area_procedure(HWND window, UINT message, WPARAM w, LPARAM l) {
    static LPARAM pressed_at = 0;
    switch (message) {
    case WM_PAINT:
        paint_area(window);
        return 0;
    case WM_MOUSEMOVE:
        if ((w & MK_LBUTTON) != 0 && has_strayed(pressed_at, l)) ++state->area_strays;
        return 0;
    case WM_LBUTTONUP:
        ReleaseCapture();
        if (has_strayed(pressed_at, l)) ++state->area_strays;
        ++state->area_releases;
        return 0;
    case WM_LBUTTONDOWN:
        pressed_at = l;
        SetCapture(window);
        ++state->area_presses;
        if (state->reaction >= 0) {
            darken(window, false);
            SetTimer(window, 1, static_cast<UINT>(state->reaction.load()), nullptr);
        }
        return 0;
    case WM_TIMER:
        KillTimer(window, 1);
        darken(window, true);
        return 0;
    case WM_LBUTTONDBLCLK:
        ++state->area_double_clicks;
        return 0;
    case WM_RBUTTONUP:
        ++state->area_right_clicks;
        return 0;
    default:
        return DefWindowProcW(window, message, w, l);
    }
}

// Like a program that does not use DIBs.
void put_image(HWND window) {
    const HDC screen = GetDC(window);
    const HDC memory = CreateCompatibleDC(screen);
    const HBITMAP bitmap = CreateCompatibleBitmap(screen, 2, 2);
    const HGDIOBJ previous = SelectObject(memory, bitmap);
    for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 2; ++x) SetPixel(memory, x, y, put_image_pixels[y][x]);
    SelectObject(memory, previous);
    DeleteDC(memory);
    ReleaseDC(window, screen);
    if (OpenClipboard(window) == 0) return;
    EmptyClipboard();
    SetClipboardData(CF_BITMAP, bitmap);
    CloseClipboard();
    ++state->images_put;
}

void take_image(HWND window) {
    if (OpenClipboard(window) == 0) return;
    const auto bitmap = static_cast<HBITMAP>(GetClipboardData(CF_BITMAP));
    BITMAP description{};
    if (bitmap != nullptr && GetObjectW(bitmap, sizeof description, &description) != 0) {
        const HDC memory = CreateCompatibleDC(nullptr);
        const HGDIOBJ previous = SelectObject(memory, bitmap);
        for (int y = 0; y < 2; ++y)
            for (int x = 0; x < 2; ++x) state->image_pixels[y][x] = GetPixel(memory, x, y);
        SelectObject(memory, previous);
        DeleteDC(memory);
        state->image_width = description.bmWidth;
        state->image_height = description.bmHeight;
    }
    CloseClipboard();
    ++state->images_taken;
}

// Like a program that is busy or hangs while it handles a message.
void hang() {
    state->hanging = 1;
    while (state->may_go_on == 0) Sleep(1);
    state->hanging = 0;
}

LRESULT CALLBACK main_procedure(HWND window, UINT message, WPARAM w, LPARAM l) {
    switch (message) {
    case WM_COMMAND:
        if (LOWORD(w) == id_a && HIWORD(w) == BN_CLICKED) ++state->clicks_a;
        if (LOWORD(w) == id_b && HIWORD(w) == BN_CLICKED) ++state->clicks_b;
        return 0;
    case WM_MOVE:
    case WM_SIZE:
        publish_places();
        return 0;
    case WM_ACTIVATE:
        if (LOWORD(w) != WA_INACTIVE) SetFocus(edit);
        return 0;
    case message_put_image:
        put_image(window);
        return 0;
    case message_take_image:
        take_image(window);
        return 0;
    case message_answer:
        ++state->answers;
        return 0;
    case message_hang:
        hang();
        return 0;
    case WM_DESTROY:
        PostQuitMessage(0);
        return 0;
    default:
        return DefWindowProcW(window, message, w, l);
    }
}

// Counts wheel and keys before they are dispatched, because the control that receives them depends
// on the version of Windows.
void note(const MSG& message) {
    switch (message.message) {
    case WM_MOUSEWHEEL:
        state->wheel_units += GET_WHEEL_DELTA_WPARAM(message.wParam);
        break;
    case WM_MOUSEHWHEEL:
        state->horizontal_wheel_units += GET_WHEEL_DELTA_WPARAM(message.wParam);
        break;
    case WM_KEYDOWN:
    case WM_SYSKEYDOWN:
        ++state->key_presses;
        held_keys.insert(message.wParam);
        if (message.wParam == 'A' && GetKeyState(VK_CONTROL) < 0) {
            SendMessageW(edit, EM_SETSEL, 0, -1);
            ++state->selected_all;
        }
        break;
    case WM_KEYUP:
    case WM_SYSKEYUP:
        held_keys.erase(message.wParam);
        break;
    default:
        break;
    }
    state->keys_held = static_cast<int>(held_keys.size());
}

HWND add_child(HWND parent, const wchar_t* type, const wchar_t* text, DWORD style, RECT place,
               int id) {
    return CreateWindowExW(0, type, text, WS_CHILD | WS_VISIBLE | style, place.left, place.top,
                           place.right - place.left, place.bottom - place.top, parent,
                           reinterpret_cast<HMENU>(static_cast<INT_PTR>(id)), nullptr, nullptr);
}

void register_class(const wchar_t* name, WNDPROC procedure, UINT style) {
    WNDCLASSEXW type{};
    type.cbSize = sizeof type;
    type.style = style;
    type.lpfnWndProc = procedure;
    type.hCursor = LoadCursorW(nullptr, IDC_ARROW);
    type.hbrBackground = GetSysColorBrush(COLOR_BTNFACE);
    type.lpszClassName = name;
    RegisterClassExW(&type);
}

} // namespace

int WINAPI WinMain(HINSTANCE, HINSTANCE, LPSTR, int) {
    become_per_monitor_aware();
    int count = 0;
    wchar_t** arguments = CommandLineToArgvW(GetCommandLineW(), &count);
    if (arguments == nullptr || count != 4) return 2;
    const HANDLE mapping = OpenFileMappingW(FILE_MAP_ALL_ACCESS, FALSE, arguments[1]);
    if (mapping == nullptr) return 3;
    state = static_cast<TestWindowState*>(
        MapViewOfFile(mapping, FILE_MAP_ALL_ACCESS, 0, 0, sizeof(TestWindowState)));
    if (state == nullptr) return 4;

    register_class(L"EyehandTestArea", area_procedure, CS_DBLCLKS);
    register_class(L"EyehandTestWindow", main_procedure, 0);
    const int x = std::wcstol(arguments[2], nullptr, 10);
    const int y = std::wcstol(arguments[3], nullptr, 10);
    const HWND window =
        CreateWindowExW(0, L"EyehandTestWindow", L"Eyehand test window ąé世", WS_OVERLAPPEDWINDOW,
                        x, y, 640, 480, nullptr, nullptr, nullptr, nullptr);
    edit =
        add_child(window, L"EDIT", L"", WS_BORDER | ES_MULTILINE | ES_AUTOVSCROLL | ES_WANTRETURN,
                  {10, 10, 600, 150}, 100);
    button_a = add_child(window, L"BUTTON", L"A", 0, {10, 160, 110, 200}, id_a);
    button_b = add_child(window, L"BUTTON", L"B", 0, {130, 160, 230, 200}, id_b);
    area = add_child(window, L"EyehandTestArea", L"", 0, {10, 210, 410, 410}, 103);
    ShowWindow(window, SW_SHOWNORMAL);
    SetForegroundWindow(window);
    SetFocus(edit);
    publish_places();
    LocalFree(arguments);

    MSG message{};
    while (GetMessageW(&message, nullptr, 0, 0) > 0) {
        note(message);
        TranslateMessage(&message);
        DispatchMessageW(&message);
        publish_edit();
    }
    return 0;
}
