#include "page_files.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

namespace eyehand::page {
namespace {

[[noreturn]] void cannot_bundle(std::string_view module, std::string_view line) {
    throw std::logic_error(fmt::format("{} cannot be bundled: {}", module, line));
}

/// "name" for "name(a, b) {", "Name {" or "name = 1;".
std::string_view first_word(std::string_view text) {
    return text.substr(0, text.find_first_of(" (;={"));
}

class Bundler {
public:
    void add(std::string_view module) {
        if (!added_.emplace(module).second) return;
        const std::string text = file_text(module);
        std::string body;
        std::string exported;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            const std::string_view line = std::string_view(text).substr(at, end - at);
            at = end + 1;
            if (line.starts_with("import ")) {
                body += imported(module, line);
            } else if (line.starts_with("export ")) {
                const std::string_view declaration = line.substr(7);
                exported += fmt::format("{}, ", declared_name(module, declaration));
                body += declaration;
            } else {
                body += line;
            }
            body += '\n';
        }
        script_ += fmt::format("modules['{}'] = (() => {{\n{}return {{ {} }};\n}})();\n", module,
                               body, exported);
    }

    [[nodiscard]] std::string take() && {
        return "'use strict';\n(() => {\nconst modules = {};\n" + std::move(script_) + "})();\n";
    }

private:
    /// Returns "const { a, b } = modules['c.js'];" for "import { a, b } from './c.js';", after
    /// adding that module.
    std::string imported(std::string_view module, std::string_view line) {
        constexpr std::string_view open = "import { ";
        constexpr std::string_view middle = " } from './";
        constexpr std::string_view close = "';";
        const std::size_t from = line.find(middle);
        if (!line.starts_with(open) || from == std::string_view::npos || !line.ends_with(close))
            cannot_bundle(module, line);
        const std::string names(line.substr(open.size(), from - open.size()));
        const std::size_t name = from + middle.size();
        const std::string other(line.substr(name, line.size() - close.size() - name));
        add(other);
        return fmt::format("const {{ {} }} = modules['{}'];", names, other);
    }

    static std::string_view declared_name(std::string_view module, std::string_view declaration) {
        constexpr std::array<std::string_view, 4> kinds{"async function ", "function ", "class ",
                                                        "const "};
        for (const std::string_view kind : kinds)
            if (declaration.starts_with(kind)) return first_word(declaration.substr(kind.size()));
        cannot_bundle(module, declaration);
    }

    std::set<std::string, std::less<>> added_;
    std::string script_;
};

} // namespace

const agent::EmbeddedFile* find_file(std::string_view name) {
    for (const agent::EmbeddedFile& file : agent::embedded_page())
        if (file.folder.empty() && file.name == name) return &file;
    return nullptr;
}

std::string file_text(std::string_view name) {
    const agent::EmbeddedFile* const file = find_file(name);
    if (file == nullptr) throw std::logic_error(fmt::format("the page has no file {}", name));
    return agent::replace_all(std::string(file->text), "\r\n", "\n");
}

std::string bundle(std::string_view entry) {
    Bundler bundler;
    bundler.add(entry);
    return std::move(bundler).take();
}

} // namespace eyehand::page
