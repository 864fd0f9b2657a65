#include "trusted_files.hpp"

#include "environment.hpp"
#include "eyehand/vlm/digest.hpp"
#include "platform.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

namespace eyehand::cli {
namespace {

namespace json = boost::json;

constexpr int format = 1;

/// Throws UsageError if the user has no configuration folder.
std::filesystem::path list_file() {
    const std::filesystem::path folder = configuration_folder();
    if (folder.empty())
        throw UsageError(fmt::format("there is no folder for the list of trusted files: set the "
                                     "environment variable {} to an absolute path",
                                     configuration_variables()));
    return folder / "trust.json";
}

[[noreturn]] void refuse(const std::filesystem::path& list, const std::string& reason) {
    throw UsageError(fmt::format("{}, the list of trusted files, {}", text_of(list), reason));
}

const std::string* text_in(const json::object& object, std::string_view name,
                           std::string& storage) {
    const json::value* value = object.if_contains(name);
    if (value == nullptr || !value->is_string()) return nullptr;
    storage.assign(value->as_string().data(), value->as_string().size());
    return &storage;
}

/// Returns false if the text is not such a list.
bool parse_list(const std::string& text, std::vector<TrustedFile>& files) {
    boost::system::error_code error;
    json::parse_options options;
    options.allow_invalid_utf8 = true; // file names of other systems
    const json::value all = json::parse(text, error, {}, options);
    if (error || !all.is_object()) return false;
    const json::value* version = all.as_object().if_contains("format");
    const json::value* list = all.as_object().if_contains("files");
    if (version == nullptr || *version != format || list == nullptr || !list->is_array())
        return false;
    for (const json::value& one : list->as_array()) {
        TrustedFile file;
        if (!one.is_object() || text_in(one.as_object(), "file", file.path) == nullptr ||
            text_in(one.as_object(), "sha256", file.sha256) == nullptr)
            return false;
        files.push_back(std::move(file));
    }
    return true;
}

} // namespace

std::string trusted_name(const std::filesystem::path& file) {
    std::error_code error;
    const std::filesystem::path absolute = std::filesystem::absolute(file, error);
    if (error) return text_of(file);
    const std::filesystem::path folder =
        std::filesystem::weakly_canonical(absolute.parent_path(), error);
    return text_of(error ? absolute : folder / absolute.filename());
}

TrustedFiles TrustedFiles::load() {
    TrustedFiles all;
    if (configuration_folder().empty()) return all;
    const std::filesystem::path list = list_file();
    std::error_code error;
    if (!std::filesystem::exists(list, error) && !error) return all;
    if (!only_the_user_can_change(list))
        refuse(list, "belongs to another user, or other users can change it: check its content, "
                     "and run chmod 600 on it");
    std::ifstream in(list, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) refuse(list, "cannot be read; check its permissions");
    if (!parse_list(std::move(text).str(), all.files_))
        refuse(list, "is damaged: correct it, or delete it and trust the files again");
    return all;
}

void TrustedFiles::save() const {
    json::array files;
    for (const TrustedFile& file : files_)
        files.push_back(json::object{{"file", file.path}, {"sha256", file.sha256}});
    const json::object all{{"format", format}, {"files", std::move(files)}};
    const std::filesystem::path list = list_file();
    if (!write_private_file(list, json::serialize(all) + "\n"))
        refuse(list, "cannot be written; check the permissions of its folder");
}

FileTrust TrustedFiles::trust_of(const std::filesystem::path& file, std::string_view text) const {
    const std::string name = trusted_name(file);
    for (const TrustedFile& one : files_)
        if (one.path == name)
            return one.sha256 == vlm::sha256_hex(text) ? FileTrust::trusted : FileTrust::changed;
    return FileTrust::unknown;
}

void TrustedFiles::add(const std::filesystem::path& file, std::string_view text) {
    (void)remove(file);
    files_.push_back({trusted_name(file), vlm::sha256_hex(text)});
}

bool TrustedFiles::remove(const std::filesystem::path& file) {
    const std::string name = trusted_name(file);
    return std::erase_if(files_, [&](const TrustedFile& one) { return one.path == name; }) > 0;
}

} // namespace eyehand::cli
