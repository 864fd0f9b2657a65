// A paint program for scenarios: a white canvas on which dragging draws a black stroke, words above
// it, and a button "Refresh" without effect. It writes each input at once to a line of FILE:
//   eyehand-paint-window FILE
//     ready CANVAS BUTTON        both as LEFT TOP RIGHT BOTTOM
//     stroke X1 Y1 X2 Y2 MOVES   from where the left button was pressed to where it was released
//     click                      on the button
// in screen pixels.
#include "../../win32/dpi_awareness.hpp"

#include <windows.h>
#include <windowsx.h>
// After <windows.h>, which it needs.
#include <shellapi.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <vector>

namespace {

constexpr RECT window_place{300, 120, 1220, 840};
constexpr RECT canvas_place{40, 70, 860, 520}; // in the window
constexpr RECT button_place{40, 560, 240, 620};
constexpr int button_id = 101;
constexpr int stroke_width = 6;
constexpr int letter_height = 22; // large enough for OCR

struct Word {
    const wchar_t* text;
    int x; // its center
};
constexpr std::array<Word, 3> words{{{L"First", 140}, {L"Second", 400}, {L"Third", 660}}};

struct Stroke {
    std::vector<POINT> points;
};

std::ofstream told;
HWND canvas = nullptr;
HWND button = nullptr;
std::vector<Stroke> strokes; // the last one may be incomplete
bool drawing = false;

RECT place_of(HWND window) {
    RECT rect{};
    GetWindowRect(window, &rect);
    return rect;
}

std::ostream& operator<<(std::ostream& out, const RECT& rect) {
    return out << rect.left << ' ' << rect.top << ' ' << rect.right << ' ' << rect.bottom;
}

void tell_ready() { told << "ready " << place_of(canvas) << ' ' << place_of(button) << std::endl; }

void tell_stroke(const Stroke& stroke) {
    POINT from = stroke.points.front();
    POINT to = stroke.points.back();
    ClientToScreen(canvas, &from);
    ClientToScreen(canvas, &to);
    told << "stroke " << from.x << ' ' << from.y << ' ' << to.x << ' ' << to.y << ' '
         << stroke.points.size() - 1 << std::endl;
}

// Without ClearType: screenshots of the window must not have colors.
HFONT font() {
    static const HFONT gray =
        CreateFontW(-letter_height, 0, 0, 0, FW_NORMAL, FALSE, FALSE, FALSE, DEFAULT_CHARSET,
                    OUT_DEFAULT_PRECIS, CLIP_DEFAULT_PRECIS, ANTIALIASED_QUALITY,
                    DEFAULT_PITCH | FF_SWISS, L"DejaVu Sans");
    return gray;
}

void write_in(HDC dc, const wchar_t* text, RECT place) {
    const HGDIOBJ previous = SelectObject(dc, font());
    SetBkMode(dc, TRANSPARENT);
    SetTextColor(dc, RGB(0, 0, 0));
    DrawTextW(dc, text, -1, &place, DT_CENTER | DT_VCENTER | DT_SINGLELINE);
    SelectObject(dc, previous);
}

// --- the canvas ----------------------------------------------------------------------------------

void paint_canvas(HWND window) {
    PAINTSTRUCT paint{};
    const HDC dc = BeginPaint(window, &paint);
    RECT all{};
    GetClientRect(window, &all);
    FillRect(dc, &all, static_cast<HBRUSH>(GetStockObject(WHITE_BRUSH)));
    const HPEN pen = CreatePen(PS_SOLID, stroke_width, RGB(0, 0, 0));
    const HGDIOBJ previous = SelectObject(dc, pen);
    for (const Stroke& stroke : strokes)
        Polyline(dc, stroke.points.data(), static_cast<int>(stroke.points.size()));
    SelectObject(dc, previous);
    DeleteObject(pen);
    EndPaint(window, &paint);
}

void go_on_to(LPARAM at) {
    strokes.back().points.push_back({GET_X_LPARAM(at), GET_Y_LPARAM(at)});
    InvalidateRect(canvas, nullptr, FALSE);
}

void end_stroke() {
    drawing = false;
    tell_stroke(strokes.back());
}

LRESULT CALLBACK canvas_procedure(HWND window, UINT message, WPARAM w, LPARAM l) {
    switch (message) {
    case WM_PAINT:
        paint_canvas(window);
        return 0;
    case WM_LBUTTONDOWN:
        SetCapture(window);
        drawing = true;
        strokes.emplace_back();
        go_on_to(l);
        return 0;
    case WM_MOUSEMOVE:
        if (drawing) go_on_to(l);
        return 0;
    case WM_LBUTTONUP:
        if (!drawing) return 0;
        go_on_to(l);
        end_stroke();
        ReleaseCapture();
        return 0;
    default:
        return DefWindowProcW(window, message, w, l);
    }
}

// --- the window ----------------------------------------------------------------------------------

// Always the same, also with the focus or when pressed.
void draw_button(const DRAWITEMSTRUCT& item) {
    FillRect(item.hDC, &item.rcItem, static_cast<HBRUSH>(GetStockObject(LTGRAY_BRUSH)));
    FrameRect(item.hDC, &item.rcItem, static_cast<HBRUSH>(GetStockObject(BLACK_BRUSH)));
    write_in(item.hDC, L"Refresh", item.rcItem);
}

void paint_words(HWND window) {
    PAINTSTRUCT paint{};
    const HDC dc = BeginPaint(window, &paint);
    for (const Word& word : words)
        write_in(dc, word.text, {word.x - 120, 10, word.x + 120, canvas_place.top - 10});
    EndPaint(window, &paint);
}

LRESULT CALLBACK main_procedure(HWND window, UINT message, WPARAM w, LPARAM l) {
    switch (message) {
    case WM_PAINT:
        paint_words(window);
        return 0;
    case WM_DRAWITEM:
        draw_button(*reinterpret_cast<const DRAWITEMSTRUCT*>(l));
        return TRUE;
    case WM_COMMAND:
        if (LOWORD(w) == button_id && HIWORD(w) == BN_CLICKED) told << "click" << std::endl;
        return 0;
    case WM_DESTROY:
        PostQuitMessage(0);
        return 0;
    default:
        return DefWindowProcW(window, message, w, l);
    }
}

void register_class(const wchar_t* name, WNDPROC procedure) {
    WNDCLASSEXW type{};
    type.cbSize = sizeof type;
    type.lpfnWndProc = procedure;
    type.hCursor = LoadCursorW(nullptr, IDC_ARROW);
    type.hbrBackground = static_cast<HBRUSH>(GetStockObject(WHITE_BRUSH));
    type.lpszClassName = name;
    RegisterClassExW(&type);
}

HWND add_child(HWND parent, const wchar_t* type, DWORD style, RECT place, int id) {
    return CreateWindowExW(0, type, L"Refresh", WS_CHILD | WS_VISIBLE | style, place.left,
                           place.top, place.right - place.left, place.bottom - place.top, parent,
                           reinterpret_cast<HMENU>(static_cast<INT_PTR>(id)), nullptr, nullptr);
}

} // namespace

int WINAPI WinMain(HINSTANCE, HINSTANCE, LPSTR, int) {
    become_per_monitor_aware();
    int count = 0;
    wchar_t** arguments = CommandLineToArgvW(GetCommandLineW(), &count);
    if (arguments == nullptr || count != 2) return 2;
    told.open(std::filesystem::path(arguments[1]), std::ios::binary);
    LocalFree(arguments);
    if (!told) return 3;

    register_class(L"EyehandPaintCanvas", canvas_procedure);
    register_class(L"EyehandPaintWindow", main_procedure);
    const HWND window = CreateWindowExW(
        0, L"EyehandPaintWindow", L"Eyehand paint", WS_OVERLAPPED | WS_CAPTION | WS_SYSMENU,
        window_place.left, window_place.top, window_place.right - window_place.left,
        window_place.bottom - window_place.top, nullptr, nullptr, nullptr, nullptr);
    canvas = add_child(window, L"EyehandPaintCanvas", WS_BORDER, canvas_place, 100);
    button = add_child(window, L"BUTTON", BS_OWNERDRAW, button_place, button_id);
    ShowWindow(window, SW_SHOWNORMAL);
    SetForegroundWindow(window);
    RedrawWindow(window, nullptr, nullptr, RDW_INVALIDATE | RDW_UPDATENOW | RDW_ALLCHILDREN);
    GdiFlush();
    tell_ready();

    MSG message{};
    while (GetMessageW(&message, nullptr, 0, 0) > 0) {
        TranslateMessage(&message);
        DispatchMessageW(&message);
    }
    return 0;
}
