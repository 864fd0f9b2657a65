// The clipboard's text.
#pragma once

#include "win32/system_calls.hpp"
#include "winio/desktop.hpp"

namespace winio::win32 {

class TextClipboard final : public Clipboard {
public:
    /// Refers to `system`, which must outlive it.
    explicit TextClipboard(const SystemCalls& system) : system_(system) {}
    std::string text() override;
    /// Throws std::invalid_argument for NUL and what is not UTF-8.
    void set_text(std::string_view utf8) override;

private:
    const SystemCalls& system_;
};

} // namespace winio::win32
