// Input from the keyboard and the mouse of the X server in memory, which programs do not take for input
// through XTEST. XTEST itself sends it, with the requests for devices of the X Input Extension (section
// "Fake Input" of the XTEST protocol, version 2.2).
#pragma once

#include "eyehand/winio/geometry.hpp"
#include "eyehand/winio/keys.hpp"
#include "x11/connection.hpp"

#include "user_watch_contract.hpp"

#include <cstdint>
#include <string_view>

namespace x11_tests {

class Hand {
public:
    Hand();
    void key(eyehand::winio::NamedKey key, eyehand::winio::Press press);
    void click(); ///< with the left button
    void move(eyehand::winio::Point to);
    /// Whether anything presses the left button.
    [[nodiscard]] bool left_is_down() const;
    [[nodiscard]] user_watch_contract::Hand functions();

private:
    [[nodiscard]] std::uint8_t device(std::string_view name);
    void send(std::uint8_t event, std::uint8_t detail, std::uint8_t device);

    eyehand::winio::x11::Connection server_;
    std::uint8_t first_event_ = 0;
    std::uint8_t keyboard_ = 0;
    std::uint8_t mouse_ = 0;
};

} // namespace x11_tests
