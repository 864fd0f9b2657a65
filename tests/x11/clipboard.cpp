#include "x11/clipboard.hpp"
#include "changed_variable.hpp"
#include "desktop_contract.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/png.hpp"
#include "test_window.hpp"
#include "x11/x11_desktop.hpp"

#include <cstring>
#include <future>

using namespace eyehand::winio;
using desktop_contract::eventually;
using x11_tests::ChangedVariable;
using x11_tests::patience;

namespace {

/// Another program that owns the clipboard.
x11::SelectionOwner other_program(const std::string& target, const std::string& bytes) {
    return x11::SelectionOwner("", {{target, bytes}});
}

std::optional<std::string> read(const std::string& target) {
    x11::Connection connection;
    return x11::SelectionReader(connection).read(target);
}

std::string large_text() {
    std::string text;
    while (text.size() < 1'500'000) text += "line " + std::to_string(text.size()) + " é\n";
    return text;
}

/// A program that reads text in parts, when the test calls it (ICCCM's INCR).
class SlowReader {
    static constexpr xcb_atom_t no_atom = XCB_ATOM_NONE;

public:
    /// When the constructor returns, the owner has announced a transfer in parts.
    SlowReader() {
        xcb_convert_selection(connection_.get(), connection_.window(),
                              connection_.atom("CLIPBOARD"), connection_.atom("UTF8_STRING"),
                              property_, XCB_CURRENT_TIME);
        REQUIRE(
            eventually([&] { return type_of_property() == connection_.atom("INCR"); }, patience));
        (void)take();
    }
    /// All parts; if the next one does not arrive, the parts so far.
    [[nodiscard]] std::string rest() {
        std::string text;
        while (eventually([&] { return type_of_property() != no_atom; }, patience)) {
            const std::string part = take();
            if (part.empty()) return text;
            text += part;
        }
        return text;
    }

private:
    [[nodiscard]] xcb_atom_t type_of_property() const {
        const auto reply = property(0, 0);
        return reply ? reply->type : no_atom;
    }
    [[nodiscard]] std::string take() const {
        const auto reply = property(1, 1U << 20U);
        REQUIRE(reply);
        return {static_cast<const char*>(xcb_get_property_value(reply.get())),
                static_cast<std::size_t>(xcb_get_property_value_length(reply.get()))};
    }
    [[nodiscard]] x11::Reply<xcb_get_property_reply_t> property(std::uint8_t and_delete,
                                                                std::uint32_t length) const {
        return connection_.take(xcb_get_property_reply,
                                xcb_get_property(connection_.get(), and_delete,
                                                 connection_.window(), property_,
                                                 XCB_GET_PROPERTY_TYPE_ANY, 0, length));
    }

    x11::Connection connection_;
    xcb_atom_t property_ = connection_.atom("SLOWLY");
};

} // namespace

TEST_CASE("another program reads what was copied", "[clipboard]") {
    const auto desktop = open_desktop();
    desktop->clipboard()->set_text("é 世界");
    CHECK(read("UTF8_STRING") == "é 世界");
    CHECK(read("STRING") == std::nullopt); // it would be Latin-1
    desktop->clipboard()->set_text("é");
    CHECK(read("STRING") == "\xe9");
}

TEST_CASE("the owner of a content is announced before the content is there", "[clipboard]") {
    x11::Connection connection;
    x11::SelectionReader reader(connection);
    xcb_window_t announced = XCB_WINDOW_NONE;
    xcb_window_t owner_then = XCB_WINDOW_NONE;
    const x11::SelectionOwner owner("", {{"UTF8_STRING", "text"}}, [&](xcb_window_t window) {
        announced = window;
        owner_then = reader.owner();
    });
    CHECK(owner_then != announced);
    CHECK(reader.owner() == announced);
}

TEST_CASE("the targets of a copied content are those that can be requested", "[clipboard]") {
    const auto desktop = open_desktop();
    desktop->clipboard()->set_text("text");
    const auto targets = read("TARGETS");
    REQUIRE(targets);
    std::vector<std::string> names;
    x11::Connection connection;
    for (std::size_t at = 0; at + 4 <= targets->size(); at += 4) {
        xcb_atom_t atom = XCB_ATOM_NONE;
        std::memcpy(&atom, targets->data() + at, 4);
        names.push_back(connection.atom_name(atom));
    }
    for (const char* name : {"TARGETS", "TIMESTAMP", "MULTIPLE", "UTF8_STRING", "STRING"})
        CHECK(std::ranges::count(names, name) == 1);
}

TEST_CASE("text of another program is read, even if it is Latin-1 or invalid UTF-8",
          "[clipboard]") {
    const auto desktop = open_desktop();
    {
        const auto other = other_program("STRING", "caf\xe9");
        CHECK(desktop->clipboard()->text() == "café");
    }
    {
        const auto other = other_program("UTF8_STRING", "a\xff");
        CHECK(desktop->clipboard()->text() == "a\xEF\xBF\xBD");
    }
    CHECK(desktop->clipboard()->text().empty()); // the clipboard has no owner
}

TEST_CASE("content that another program copies replaces the desktop's, and vice versa",
          "[clipboard]") {
    const auto desktop = open_desktop();
    desktop->clipboard()->set_text("ours");
    const auto other = other_program("UTF8_STRING", "theirs");
    CHECK(desktop->clipboard()->text() == "theirs");
    desktop->clipboard()->set_text("ours again");
    CHECK(desktop->clipboard()->text() == "ours again");
    CHECK_FALSE(desktop->clipboard()->image().has_value());
}

TEST_CASE("large text is sent in parts", "[clipboard]") {
    const auto desktop = open_desktop();
    const std::string text = large_text();
    desktop->clipboard()->set_text(text);
    CHECK(desktop->clipboard()->text() == text);
    CHECK(read("UTF8_STRING") == text);
}

TEST_CASE("an image is read back pixel for pixel, as bitmap and as PNG", "[clipboard]") {
    const auto desktop = open_desktop();
    Image image({301, 203});
    image.fill({10, 10, 50, 50}, {1, 2, 3, 255});
    image.fill({100, 60, 150, 100}, {250, 128, 7, 255});
    desktop->clipboard()->set_image(image.view());
    const auto back = desktop->clipboard()->image();
    REQUIRE(back.has_value());
    REQUIRE(back->size() == image.size());
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) REQUIRE(back->at(x, y) == image.at(x, y));
    const auto png = encode_png(image.view());
    CHECK(read("image/png") == std::string(png.begin(), png.end()));
    CHECK(desktop->clipboard()->text().empty());
}

TEST_CASE("a damaged image of another program is ignored", "[clipboard]") {
    const auto desktop = open_desktop();
    const auto other = other_program("image/bmp", "BM but not much more");
    CHECK_FALSE(desktop->clipboard()->image().has_value());
}

TEST_CASE("the clipboard is empty after the desktop is closed", "[clipboard]") {
    open_desktop()->clipboard()->set_text("not for long");
    CHECK(open_desktop()->clipboard()->text().empty());
}

TEST_CASE("a program can finish reading content that is replaced meanwhile", "[clipboard]") {
    const auto desktop = open_desktop();
    const std::string text = large_text();
    desktop->clipboard()->set_text(text);
    SlowReader reader;
    desktop->clipboard()->set_text("something else");
    CHECK(read("UTF8_STRING") == "something else");
    CHECK(reader.rest() == text);
}

TEST_CASE("a program can finish reading content that is cleared meanwhile", "[clipboard]") {
    const auto desktop = open_desktop();
    const std::string text = large_text();
    desktop->clipboard()->set_text(text);
    SlowReader reader;
    desktop->clipboard()->clear();
    CHECK_FALSE(read("UTF8_STRING").has_value());
    CHECK(reader.rest() == text);
}

TEST_CASE("a program can finish reading while the desktop is closed", "[clipboard]") {
    auto desktop = open_desktop();
    const std::string text = large_text();
    desktop->clipboard()->set_text(text);
    SlowReader reader;
    const auto closing = std::async(std::launch::async, [&] { desktop.reset(); });
    CHECK(reader.rest() == text);
}

TEST_CASE("a reader that has ended does not block closing the desktop", "[clipboard]") {
    auto desktop = open_desktop();
    desktop->clipboard()->set_text(large_text());
    { const SlowReader gone; }
    const auto closing = std::async(std::launch::async, [&] { desktop.reset(); });
    CHECK(closing.wait_for(patience) == std::future_status::ready);
}

TEST_CASE(
    "the clipboard belongs to the desktop's display even if the environment names another one",
    "[clipboard]") {
    const auto desktop = open_desktop();
    {
        const ChangedVariable display("DISPLAY", ":4711");
        desktop->clipboard()->set_text("here");
    }
    CHECK(read("UTF8_STRING") == "here");
}
