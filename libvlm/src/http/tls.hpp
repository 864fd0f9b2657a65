// TLS over a connected TCP socket, as a client. Certificate and host name are always verified. Only
// tls.cpp uses OpenSSL.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <functional>
#include <memory>
#include <string>

namespace eyehand::vlm {
class Error;
}

namespace eyehand::vlm::http {

/// The trusted authorities: those of the system (on Linux OpenSSL's default locations and
/// /etc/ssl/certs, on Windows the ROOT store) and those in a file.
class TlsContext {
public:
    /// `ca_file`: the UTF-8 path of a PEM file; empty: the system's authorities only. Throws
    /// Error{untrusted} if the file cannot be used.
    explicit TlsContext(const std::string& ca_file);
    ~TlsContext();
    TlsContext(const TlsContext&) = delete;
    TlsContext& operator=(const TlsContext&) = delete;

private:
    friend class TlsStream;
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// The socket must outlive this object. Closing the socket ends pending operations.
class TlsStream {
public:
    using Done = std::function<void(boost::system::error_code, std::size_t bytes)>;

    /// `host`: the name or address, without brackets, that the certificate must be for.
    TlsStream(boost::asio::ip::tcp::socket& socket, TlsContext& context, const std::string& host);
    ~TlsStream();
    TlsStream(const TlsStream&) = delete;
    TlsStream& operator=(const TlsStream&) = delete;

    void async_handshake(Done done);
    void async_read_some(boost::asio::mutable_buffer buffer, Done done);
    void async_write_some(boost::asio::const_buffer buffer, Done done);

    /// Whether received bytes have not been read yet.
    [[nodiscard]] bool has_unread() const;
    /// The error for a handshake that ended with `error`. `server` is the server's name in the
    /// message.
    [[nodiscard]] Error handshake_failure(boost::system::error_code error,
                                          const std::string& server) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace eyehand::vlm::http
