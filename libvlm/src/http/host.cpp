#include "host.hpp"

#include <boost/asio/ip/address.hpp>

namespace eyehand::vlm::http {
namespace {

namespace ip = boost::asio::ip;

ip::address parsed(std::string_view host, boost::system::error_code& error) {
    return ip::make_address(std::string(host), error);
}

} // namespace

bool is_localhost(std::string_view host) {
    return host == "localhost" || host.ends_with(".localhost");
}

bool is_address(std::string_view host) {
    boost::system::error_code error;
    (void)parsed(host, error);
    return !error;
}

bool is_loopback(std::string_view host) {
    if (is_localhost(host)) return true;
    boost::system::error_code error;
    const ip::address address = parsed(host, error);
    if (error) return false;
    if (address.is_v6() && address.to_v6().is_v4_mapped())
        return ip::make_address_v4(ip::v4_mapped, address.to_v6()).is_loopback();
    return address.is_loopback();
}

} // namespace eyehand::vlm::http
