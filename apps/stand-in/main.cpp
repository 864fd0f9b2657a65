// eyehand-stand-in: a deterministic stand-in for a vision model, with the same protocol.
#include "server.hpp"

#include "eyehand/version.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Options {
    std::string script;
    bool questions = false; ///< in place of a script
    std::vector<std::string> set;
    std::string host = "127.0.0.1";
    std::uint16_t port = 0;
    std::string port_file;
    std::string log;
    std::string dump_ocr;
    std::string coordinates = "norm1000";
    std::string bias = "0,0";
    std::string noise = "0";
    std::string dialect = "native";
};

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(fmt::format("{} cannot be read", path));
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

stand_in::Values values_of(const std::vector<std::string>& settings) {
    stand_in::Values values;
    for (const std::string& setting : settings) {
        const std::size_t equals = setting.find('=');
        if (equals == 0 || equals == std::string::npos)
            throw std::runtime_error(fmt::format("--set {}: NAME=VALUE is expected", setting));
        values[setting.substr(0, equals)] = setting.substr(equals + 1);
    }
    return values;
}

stand_in::Coordinates coordinates_of(const Options& options) {
    return {stand_in::convention_of(options.coordinates), stand_in::parse_bias(options.bias),
            stand_in::parse_noise(options.noise)};
}

// Writes and renames, so that a program that waits for the file never reads an incomplete one.
void write_port_file(const std::string& path, std::uint16_t port) {
    const std::string unfinished = path + ".new";
    std::ofstream file(unfinished);
    file << port << '\n';
    file.close();
    if (!file) throw std::runtime_error(fmt::format("{} cannot be written", unfinished));
    std::filesystem::rename(unfinished, path);
}

void print_screen(const stand_in::Screen& screen) {
    fmt::print("{}x{}\n", screen.width, screen.height);
    for (const stand_in::Segment& segment : screen.segments) {
        fmt::print("{},{} {}x{}  {}\n", segment.box.x, segment.box.y, segment.box.width,
                   segment.box.height, segment.text());
        for (const stand_in::Words& words : segment.readings) {
            fmt::print("   ");
            for (const stand_in::Word& word : words) {
                fmt::print(" {} ({},{} {}x{}, {}%)", word.text, word.box.x, word.box.y,
                           word.box.width, word.box.height, word.confidence);
            }
            fmt::print("\n");
        }
    }
}

void dump_ocr(const std::string& path) {
    stand_in::Reader reader;
    print_screen(reader.read(read_file(path)));
}

void serve(const Options& options) {
    std::ofstream log;
    if (!options.log.empty()) {
        log.open(options.log, std::ios::app);
        if (!log) throw std::runtime_error(fmt::format("{} cannot be written", options.log));
    }
    std::optional<stand_in::Script> script;
    if (!options.questions)
        script = stand_in::parse_script(read_file(options.script), values_of(options.set));
    stand_in::Service service(
        std::move(script), [&](std::string_view line) { log << line << std::endl; },
        coordinates_of(options), stand_in::dialect_of(options.dialect));
    stand_in::Server server(
        options.host, options.port,
        [&](std::string_view method, std::string_view target, std::string_view body) {
            return service.answer(method, target, body);
        });
    server.stop_on_signals();
    if (!options.port_file.empty()) write_port_file(options.port_file, server.port());
    fmt::print("listening on http://{}:{}/v1\n", options.host, server.port());
    std::fflush(stdout);
    server.run();
}

} // namespace

int main(int argc, char* argv[]) {
    Options options;
    CLI::App app("A stand-in for a vision model: it reads the screenshots of a chat-completions "
                 "request by OCR and follows a script. For demos, tests and machines without a "
                 "GPU.",
                 "eyehand-stand-in");
    app.set_version_flag("--version", "eyehand-stand-in " EYEHAND_VERSION_STRING);
    auto* script = app.add_option("--script", options.script, "The steps to follow (JSON)");
    auto* questions =
        app.add_flag("--questions", options.questions,
                     "Instead of a script: answer questions such as: Click on the button \"Save\". "
                     "For agent-cli calibrate");
    script->excludes(questions);
    app.add_option("--set", options.set, "NAME=VALUE for ${NAME} in the script; may be repeated");
    app.add_option("--host", options.host, "The address to listen on")->capture_default_str();
    app.add_option("--port", options.port, "The port to listen on; 0: any free port")
        ->capture_default_str();
    app.add_option("--port-file", options.port_file,
                   "Write the port to this file once connections are accepted");
    app.add_option("--log", options.log, "Append one line per request to this file");
    app.add_option("--coordinates", options.coordinates,
                   "How positions are stated: " + stand_in::convention_words())
        ->capture_default_str();
    app.add_option("--bias", options.bias, "X,Y: an error of all positions, in 1/1000 of the image")
        ->capture_default_str();
    app.add_option("--noise", options.noise,
                   "N: a pseudo-random error of each position, from -N to N in 1/1000 of the image")
        ->capture_default_str();
    app.add_option("--dialect", options.dialect,
                   "How actions are stated: " + stand_in::dialect_words())
        ->capture_default_str();
    auto* dump =
        app.add_option("--dump-ocr", options.dump_ocr,
                       "Print the text read from this screenshot with its positions, and exit");
    CLI11_PARSE(app, argc, argv);
    try {
        if (*dump) {
            dump_ocr(options.dump_ocr);
        } else if (*script || options.questions) {
            serve(options);
        } else {
            throw std::runtime_error("--script FILE or --questions is required (see --help)");
        }
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "eyehand-stand-in: {}\n", error.what());
        return 1;
    }
}
