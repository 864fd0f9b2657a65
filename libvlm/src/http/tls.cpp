#include "tls.hpp"

#include "eyehand/vlm/error.hpp"
#include "host.hpp"

#include "../wire/utf8.hpp"

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#ifdef _WIN32
#include <windows.h>

#include <wincrypt.h>
#endif

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <new>
#include <utility>

namespace eyehand::vlm::http {
namespace {

namespace asio = boost::asio;
namespace ssl = asio::ssl;
using asio::ip::tcp;
using boost::system::error_code;

struct FreeBio {
    void operator()(BIO* bio) const { BIO_free(bio); }
};
struct FreeCertificate {
    void operator()(X509* certificate) const { X509_free(certificate); }
};
struct FreeNames {
    void operator()(GENERAL_NAMES* names) const { GENERAL_NAMES_free(names); }
};
using Bio = std::unique_ptr<BIO, FreeBio>;
using Certificate = std::unique_ptr<X509, FreeCertificate>;

#ifdef _WIN32
struct CloseStore {
    void operator()(void* store) const { CertCloseStore(store, 0); }
};

void trust_system(SSL_CTX* context) {
    const std::unique_ptr<void, CloseStore> roots(CertOpenSystemStoreW(0, L"ROOT"));
    if (!roots) return; // then every handshake fails, because no authority is trusted
    PCCERT_CONTEXT entry = nullptr;
    while ((entry = CertEnumCertificatesInStore(roots.get(), entry)) != nullptr) {
        const unsigned char* bytes = entry->pbCertEncoded;
        const Certificate certificate(
            d2i_X509(nullptr, &bytes, static_cast<long>(entry->cbCertEncoded)));
        if (certificate) X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate.get());
    }
    ERR_clear_error(); // set by entries that OpenSSL does not support
}
#else
void trust_system(SSL_CTX* context) {
    SSL_CTX_set_default_verify_paths(context);
    // An OpenSSL that was built for another system does not look there.
    SSL_CTX_load_verify_dir(context, "/etc/ssl/certs");
    ERR_clear_error();
}
#endif

std::string read_file(const std::string& name) {
    std::ifstream file(std::filesystem::path(std::u8string(name.begin(), name.end())),
                       std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void trust_file(SSL_CTX* context, const std::string& name) {
    const std::string pem = read_file(name);
    const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
    if (!bio) throw std::bad_alloc();
    int found = 0;
    while (const Certificate certificate{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
        X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate.get());
        ++found;
    }
    ERR_clear_error(); // the end of the file sets an error
    if (found == 0)
        throw Error(errc::untrusted,
                    "the file " + wire::excerpt(name, 300) +
                        (pem.empty() ? " cannot be read" : " contains no certificate") +
                        ": set ca_file to a PEM file (\"-----BEGIN CERTIFICATE-----\")");
}

/// Host names of a certificate, for a message: "a.test, b.test".
std::string names_in(X509* certificate) {
    std::string names;
    const std::unique_ptr<GENERAL_NAMES, FreeNames> list(static_cast<GENERAL_NAMES*>(
        X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
    for (int i = 0; i < sk_GENERAL_NAME_num(list.get()); ++i) {
        int kind = 0;
        const void* const value =
            GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(list.get(), i), &kind);
        if (kind != GEN_DNS) continue;
        const auto* const text = static_cast<const ASN1_IA5STRING*>(value);
        if (!names.empty()) names += ", ";
        names.append(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                     static_cast<std::size_t>(ASN1_STRING_length(text)));
    }
    return wire::excerpt(names, 200);
}

std::string wrong_host(const std::string& names, const std::string& server) {
    return "the certificate of " + server + " is for another host" +
           (names.empty() ? "" : " (" + names + ")") +
           ": is the address right? If so, the server needs a certificate for this name";
}

/// The error message: cause and remedy.
std::string certificate_problem(long result, const std::string& names, const std::string& server) {
    const std::string certificate = "the certificate of " + server;
    switch (result) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
        return certificate + " has expired: the server needs a new one. Is this computer's clock "
                             "right?";
    case X509_V_ERR_CERT_NOT_YET_VALID:
        return certificate + " is not valid yet: is this computer's clock right?";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
        return wrong_host(names, server);
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
        return certificate + " is self-signed: if you trust the server, set ca_file to its "
                             "certificate (PEM)";
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
        return certificate + " comes from an authority that this computer does not trust: if it is "
                             "your organization's, set ca_file to the authority's certificate "
                             "(PEM)";
    default:
        return certificate + " is not accepted (" + X509_verify_cert_error_string(result) +
               "): the server needs another one";
    }
}

} // namespace

// --- Trust --------------------------------------------------------------------------------------

struct TlsContext::Impl {
    ssl::context context{ssl::context::tls_client};
};

TlsContext::TlsContext(const std::string& ca_file) : impl_(std::make_unique<Impl>()) {
    SSL_CTX* const context = impl_->context.native_handle();
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    trust_system(context);
    if (!ca_file.empty()) trust_file(context, ca_file);
}

TlsContext::~TlsContext() = default;

// --- One connection -----------------------------------------------------------------------------

struct TlsStream::Impl {
    Impl(tcp::socket& socket, ssl::context& context) : stream(socket, context) {}
    ssl::stream<tcp::socket&> stream;
    std::string refused_names; // host names of a rejected certificate
};

namespace {

constexpr std::array<unsigned char, 9> http_1_1{8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

/// Sets the name that the certificate must have, and the name in SNI (not for addresses).
bool expect_host(SSL* connection, std::string host) {
    if (is_address(host)) {
        host.resize(std::min(host.find('%'), host.size())); // certificates have no zones
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(connection), host.c_str()) == 1;
    }
    if (host.ends_with('.')) host.pop_back();
    SSL_set_hostflags(connection, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return SSL_set1_host(connection, host.c_str()) == 1 &&
           SSL_set_tlsext_host_name(connection, host.c_str()) == 1;
}

} // namespace

TlsStream::TlsStream(tcp::socket& socket, TlsContext& context, const std::string& host)
    : impl_(std::make_unique<Impl>(socket, context.impl_->context)) {
    SSL* const connection = impl_->stream.native_handle();
    // Does not change the decision, but stores the names: OpenSSL discards a rejected certificate.
    impl_->stream.set_verify_callback([this](bool accepted, ssl::verify_context& verification) {
        X509_STORE_CTX* const chain = verification.native_handle();
        if (!accepted) impl_->refused_names = names_in(X509_STORE_CTX_get0_cert(chain));
        return accepted;
    });
    // If these fail, nothing would be verified.
    if (!expect_host(connection, host) ||
        SSL_set_alpn_protos(connection, http_1_1.data(), static_cast<unsigned>(http_1_1.size())) !=
            0)
        throw Error(errc::untrusted, "the host name " + wire::excerpt(host, 200) +
                                         " cannot be verified: is it spelled right?");
}

TlsStream::~TlsStream() = default;

void TlsStream::async_handshake(Done done) {
    ERR_clear_error();
    impl_->stream.async_handshake(ssl::stream_base::client,
                                  [done = std::move(done)](error_code error) { done(error, 0); });
}

void TlsStream::async_read_some(asio::mutable_buffer buffer, Done done) {
    impl_->stream.async_read_some(buffer, std::move(done));
}

void TlsStream::async_write_some(asio::const_buffer buffer, Done done) {
    impl_->stream.async_write_some(buffer, std::move(done));
}

bool TlsStream::has_unread() const {
    SSL* const connection = impl_->stream.native_handle();
    return SSL_has_pending(connection) != 0 || BIO_pending(SSL_get_rbio(connection)) > 0;
}

Error TlsStream::handshake_failure(error_code error, const std::string& server) const {
    SSL* const connection = impl_->stream.native_handle();
    const long result = SSL_get_verify_result(connection);
    if (result != X509_V_OK)
        return {errc::untrusted, certificate_problem(result, impl_->refused_names, server)};
    if (error.category() == asio::error::get_ssl_category())
        return {errc::bad_response, server + " does not speak TLS as expected (" +
                                        wire::excerpt(error.message(), 200) +
                                        "): is it https and not http, is the port right, and does "
                                        "the server support TLS 1.2 or later?"};
    return {errc::connection_lost, server + " broke the connection during the TLS handshake: is it "
                                            "https and not http, and is the port right?"};
}

} // namespace eyehand::vlm::http
