#include "test_window.hpp"

#include "dib.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/frame_diff.hpp"
#include "win32/handles.hpp"
#include "win32/win32_desktop.hpp"

#include "random_image.hpp"

#include <future>
#include <thread>

using namespace eyehand::winio;

namespace {

Color color_of(unsigned long colorref) {
    return {static_cast<std::uint8_t>(colorref >> 16U), static_cast<std::uint8_t>(colorref >> 8U),
            static_cast<std::uint8_t>(colorref), 255};
}

void post(const TestWindow& window, UINT message) {
    REQUIRE(PostMessageW(reinterpret_cast<HWND>(window.info().id), message, 0, 0) != 0);
}

// Writes bytes to the clipboard like another program.
void put(UINT format, const std::vector<std::uint8_t>& bytes) {
    win32::GlobalMemory memory(GlobalAlloc(GMEM_MOVEABLE, bytes.size()));
    REQUIRE(memory);
    std::ranges::copy(bytes, static_cast<std::uint8_t*>(GlobalLock(memory.get())));
    GlobalUnlock(memory.get());
    const win32::Window owner(
        CreateWindowExW(0, L"STATIC", L"", 0, 0, 0, 0, 0, HWND_MESSAGE, nullptr, nullptr, nullptr));
    REQUIRE(eventually([&] { return OpenClipboard(owner.get()) != 0; }));
    EmptyClipboard();
    const bool taken = SetClipboardData(format, memory.get()) != nullptr;
    CloseClipboard();
    REQUIRE(taken);
    memory.release();
}

} // namespace

TEST_CASE("the desktop waits while another program briefly holds the clipboard") {
    win32::SystemCalls system;
    int attempts = 0;
    system.open_clipboard = [&](HWND owner) -> BOOL {
        return ++attempts <= 3 ? FALSE : OpenClipboard(owner);
    };
    win32::Win32Desktop desktop(system);
    desktop.clipboard()->set_text("patience");
    CHECK(attempts == 4);
    CHECK(desktop.clipboard()->text() == "patience");
}

TEST_CASE(
    "the clipboard is not read while another program reads it, which does not lose its text") {
    const auto desktop = open_desktop();
    desktop->clipboard()->set_text("of the other program");
    std::promise<void> opened;
    std::promise<void> may_read;
    bool has_read = false;
    std::thread other([&] {
        if (eventually([] { return OpenClipboard(nullptr) != 0; })) {
            opened.set_value();
            may_read.get_future().wait();
            has_read = GetClipboardData(CF_UNICODETEXT) != nullptr;
            CloseClipboard();
        } else {
            opened.set_value();
        }
    });
    opened.get_future().wait();
    CHECK_THROWS_AS(desktop->clipboard()->text(), Error);
    may_read.set_value();
    other.join();
    CHECK(has_read);
    CHECK(desktop->clipboard()->text() == "of the other program");
}

TEST_CASE("a clipboard that is never released is a temporary error within a time limit") {
    win32::SystemCalls system;
    system.open_clipboard = [](HWND) -> BOOL {
        SetLastError(ERROR_ACCESS_DENIED);
        return FALSE;
    };
    win32::Win32Desktop desktop(system);
    const int open_before = win32::open_handles;
    const auto start = std::chrono::steady_clock::now();
    try {
        desktop.clipboard()->set_text("x");
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == errc::clipboard_failed);
        CHECK(temporary(error.code()));
    }
    CHECK(std::chrono::steady_clock::now() - start < desktop_contract::patience);
    CHECK(win32::open_handles == open_before);
}

TEST_CASE("the clipboard accepts long text and leaks no handle") {
    const auto desktop = open_desktop();
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += "é世😀\r\n";
    const int open_before = win32::open_handles;
    desktop->clipboard()->set_text(text);
    CHECK(desktop->clipboard()->text() == text);
    CHECK(win32::open_handles == open_before);
}

TEST_CASE("an image is read back from the clipboard, opaque and pixel for pixel") {
    const auto desktop = open_desktop();
    Clipboard& clipboard = *desktop->clipboard();
    const int open_before = win32::open_handles;
    for (const Size size : {Size{1, 1}, Size{3, 7}, Size{640, 480}}) {
        const Image image = random_image(size, 3);
        clipboard.set_image(image.view());
        const auto back = clipboard.image();
        REQUIRE(back);
        CHECK(back->size() == size);
        CHECK(same_pixels(back->view(), image.view()));
        CHECK(back->at(0, 0).alpha == 255);
    }
    CHECK(win32::open_handles == open_before);
}

TEST_CASE("text and image replace each other on the clipboard") {
    const auto desktop = open_desktop();
    Clipboard& clipboard = *desktop->clipboard();
    clipboard.set_text("words");
    CHECK_FALSE(clipboard.image());
    clipboard.set_image(Image({2, 2}).view());
    CHECK(clipboard.text().empty());
    CHECK(clipboard.image());
    clipboard.set_text("words again");
    CHECK_FALSE(clipboard.image());
}

TEST_CASE("an image that another program copied as a bitmap can be read") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop);
    desktop->clipboard()->set_text("");
    post(window, message_put_image);
    REQUIRE(eventually([&] { return window.state().images_put == 1; }));
    const auto image = desktop->clipboard()->image();
    REQUIRE(image);
    REQUIRE(image->size() == Size{2, 2});
    for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 2; ++x) CHECK(image->at(x, y) == color_of(put_image_pixels[y][x]));
}

TEST_CASE("another program that requests a bitmap receives the image, the right way up") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop);
    Image image({2, 3});
    image.fill({0, 0, 1, 1}, color_of(0x0000FF));
    image.fill({1, 0, 1, 1}, color_of(0x00FF00));
    image.fill({0, 1, 2, 2}, color_of(0x123456));
    desktop->clipboard()->set_image(image.view());
    post(window, message_take_image);
    REQUIRE(eventually([&] { return window.state().images_taken == 1; }));
    const TestWindowState& taken = window.state();
    CHECK(taken.image_width == 2);
    CHECK(taken.image_height == 3);
    CHECK(taken.image_pixels[0][0] == 0x0000FF);
    CHECK(taken.image_pixels[0][1] == 0x00FF00);
    CHECK(taken.image_pixels[1][0] == 0x123456);
}

TEST_CASE("a broken image of another program is ignored") {
    auto bytes = encode_dib(Image({4, 4}).view());
    bytes[4] = 200; // claims to be 200 pixels wide
    put(CF_DIB, bytes);
    CHECK_FALSE(open_desktop()->clipboard()->image());
}

TEST_CASE("no image can be written to or read from a clipboard that is never released") {
    win32::SystemCalls system;
    system.open_clipboard = [](HWND) -> BOOL { return FALSE; };
    win32::Win32Desktop desktop(system);
    const int open_before = win32::open_handles;
    CHECK_THROWS_AS(desktop.clipboard()->set_image(Image({1, 1}).view()), Error);
    CHECK_THROWS_AS(desktop.clipboard()->image(), Error);
    CHECK_THROWS_AS(desktop.clipboard()->set_image(ImageView{}), std::invalid_argument);
    CHECK(win32::open_handles == open_before);
}
