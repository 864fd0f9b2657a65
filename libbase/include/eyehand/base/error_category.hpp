// Error categories from a table.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace eyehand::base {

struct ErrorEntry {
    template <class Code>
    constexpr ErrorEntry(Code code, std::string_view enumerator, const char* text)
        : value(static_cast<int>(code)), name(enumerator), message(text) {}

    int value;
    std::string_view name; ///< of the enumerator
    const char* message;
};

/// Whether the values are 1, 2, 3 and so on, as `ErrorCategory` requires.
[[nodiscard]] constexpr bool is_numbered(std::span<const ErrorEntry> entries) {
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (entries[i].value != static_cast<int>(i) + 1) return false;
    return true;
}

class ErrorCategory final : public std::error_category {
public:
    /// `entries` must live as long as the category.
    constexpr ErrorCategory(const char* name, std::span<const ErrorEntry> entries) noexcept
        : name_(name), entries_(entries) {}

    [[nodiscard]] const char* name() const noexcept override { return name_; }
    /// For an unknown value: "unknown NAME error".
    [[nodiscard]] std::string message(int value) const override;
    /// The name of an enumerator, "unknown" for other values.
    [[nodiscard]] std::string_view name_of(int value) const noexcept;

private:
    [[nodiscard]] const ErrorEntry* find(int value) const noexcept;

    const char* name_;
    std::span<const ErrorEntry> entries_;
};

} // namespace eyehand::base
