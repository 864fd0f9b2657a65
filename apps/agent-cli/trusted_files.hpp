// The files with settings that the user trusts: agent-cli trust. A file that is only found in the
// working directory may come from another person, so most of its settings have no effect before
// the user trusts it.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::cli {

/// A file as it was when the user trusted it.
struct TrustedFile {
    std::string path; ///< absolute
    std::string sha256;
};

enum class FileTrust {
    unknown, ///< the user does not trust the file
    changed, ///< the user trusted another content of the file
    trusted,
};

/// The content of trust.json in the user's configuration folder.
class TrustedFiles {
public:
    /// Reads the list; empty without a file. Throws UsageError if it is damaged, or if other users
    /// can change it.
    [[nodiscard]] static TrustedFiles load();
    /// Replaces the list. Throws UsageError if it cannot be written.
    void save() const;

    [[nodiscard]] FileTrust trust_of(const std::filesystem::path& file,
                                     std::string_view text) const;
    void add(const std::filesystem::path& file, std::string_view text);
    /// Returns false if the list does not contain the file, which need not exist.
    [[nodiscard]] bool remove(const std::filesystem::path& file);
    [[nodiscard]] std::span<const TrustedFile> all() const { return files_; }

private:
    std::vector<TrustedFile> files_;
};

/// The absolute path by which the list knows a file: without links in the path of its folder. A file
/// that is itself a link keeps its own name, because relative paths in it depend on the folder.
[[nodiscard]] std::string trusted_name(const std::filesystem::path& file);

} // namespace eyehand::cli
