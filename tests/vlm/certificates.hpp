// Certificates for tests, made at run time.
#pragma once

#include "eyehand/vlm/testing/chat_server.hpp"

#include <memory>
#include <string>
#include <vector>

namespace certificates {

/// The content of a certificate. Days count from now.
struct Claim {
    std::vector<std::string> names{"DNS:localhost", "IP:127.0.0.1"}; ///< in OpenSSL's syntax
    int valid_from_days = -1;
    int valid_until_days = 1;
};

/// An authority that only a ca_file makes trusted.
class Authority {
public:
    Authority();
    ~Authority();
    [[nodiscard]] eyehand::vlm::testing::TlsIdentity issue(const Claim& claim = {}) const;
    [[nodiscard]] const std::string& pem() const { return pem_; }

private:
    struct Keys;
    std::unique_ptr<Keys> keys_;
    std::string pem_;
};

[[nodiscard]] eyehand::vlm::testing::TlsIdentity self_signed(const Claim& claim = {});

} // namespace certificates
