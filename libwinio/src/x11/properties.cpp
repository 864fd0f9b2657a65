#include "x11/properties.hpp"

namespace eyehand::winio::x11 {
namespace {

std::string_view bytes_of(const xcb_get_property_reply_t& reply) {
    return {static_cast<const char*>(xcb_get_property_value(&reply)),
            static_cast<std::size_t>(xcb_get_property_value_length(&reply))};
}

} // namespace

std::string PropertyRequest::text() const {
    const auto reply = connection_->take(xcb_get_property_reply, cookie_);
    return reply && reply->format == 8 ? std::string(bytes_of(*reply)) : std::string();
}

std::vector<std::uint32_t> PropertyRequest::values() const {
    const auto reply = connection_->take(xcb_get_property_reply, cookie_);
    if (!reply || reply->format != 32) return {};
    const std::string_view bytes = bytes_of(*reply);
    std::vector<std::uint32_t> values(bytes.size() / 4);
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * 4);
    return values;
}

} // namespace eyehand::winio::x11
