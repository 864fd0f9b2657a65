#include "certificates.hpp"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <stdexcept>

using namespace eyehand;

namespace certificates {
namespace {

template <auto free>
struct Free {
    template <class T>
    void operator()(T* object) const {
        free(object);
    }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Bio = std::unique_ptr<BIO, Free<BIO_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>>;

Key make_key() {
    Key key(EVP_EC_gen("P-256"));
    if (!key) throw std::runtime_error("no key");
    return key;
}

void add(X509* certificate, int kind, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
    const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
    if (!extension || X509_add_ext(certificate, extension.get(), -1) != 1)
        throw std::runtime_error("no extension " + value);
}

void set_name(X509_NAME* name, const std::string& text) {
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(text.c_str()), -1, -1, 0);
}

/// Returns an unsigned certificate.
Certificate make_certificate(const std::string& subject, EVP_PKEY* key, const Claim& claim) {
    static long serial = 0;
    constexpr long day = 24L * 60 * 60;
    Certificate certificate(X509_new());
    X509_set_version(certificate.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), claim.valid_from_days * day);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), claim.valid_until_days * day);
    set_name(X509_get_subject_name(certificate.get()), subject);
    X509_set_pubkey(certificate.get(), key);
    return certificate;
}

// OpenSSL finds an issuer by its name, so two authorities must have different names.
std::string authority_name() {
    static int number = 0;
    return "Test Authority " + std::to_string(++number);
}

void add_names(X509* certificate, const Claim& claim) {
    std::string names;
    for (const std::string& name : claim.names) names += (names.empty() ? "" : ",") + name;
    add(certificate, NID_subject_alt_name, names);
}

std::string text_of(const Bio& bio) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &data);
    return {data, static_cast<std::size_t>(size)};
}

std::string pem_of(X509* certificate) {
    const Bio bio(BIO_new(BIO_s_mem()));
    PEM_write_bio_X509(bio.get(), certificate);
    return text_of(bio);
}

std::string pem_of(EVP_PKEY* key) {
    const Bio bio(BIO_new(BIO_s_mem()));
    PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
    return text_of(bio);
}

} // namespace

struct Authority::Keys {
    Key key = make_key();
    Certificate certificate = make_certificate(authority_name(), key.get(), {});
};

Authority::Authority() : keys_(std::make_unique<Keys>()) {
    X509* const certificate = keys_->certificate.get();
    X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
    add(certificate, NID_basic_constraints, "critical,CA:TRUE");
    X509_sign(certificate, keys_->key.get(), EVP_sha256());
    pem_ = pem_of(certificate);
}

Authority::~Authority() = default;

vlm::testing::TlsIdentity Authority::issue(const Claim& claim) const {
    const Key key = make_key();
    const Certificate certificate = make_certificate("Test Server", key.get(), claim);
    X509_set_issuer_name(certificate.get(), X509_get_subject_name(keys_->certificate.get()));
    add_names(certificate.get(), claim);
    X509_sign(certificate.get(), keys_->key.get(), EVP_sha256());
    return {pem_of(certificate.get()), pem_of(key.get())};
}

vlm::testing::TlsIdentity self_signed(const Claim& claim) {
    const Key key = make_key();
    const Certificate certificate = make_certificate("Test Server", key.get(), claim);
    X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
    add_names(certificate.get(), claim);
    X509_sign(certificate.get(), key.get(), EVP_sha256());
    return {pem_of(certificate.get()), pem_of(key.get())};
}

} // namespace certificates
