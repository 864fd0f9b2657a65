#include "eyehand/base/error_category.hpp"

namespace eyehand::base {

const ErrorEntry* ErrorCategory::find(int value) const noexcept {
    if (value < 1 || static_cast<std::size_t>(value) > entries_.size()) return nullptr;
    return &entries_[static_cast<std::size_t>(value) - 1];
}

std::string ErrorCategory::message(int value) const {
    const ErrorEntry* entry = find(value);
    return entry != nullptr ? entry->message : "unknown " + std::string(name_) + " error";
}

std::string_view ErrorCategory::name_of(int value) const noexcept {
    const ErrorEntry* entry = find(value);
    return entry != nullptr ? entry->name : "unknown";
}

} // namespace eyehand::base
