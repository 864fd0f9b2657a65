// Streams recorded from llama-server (build 10587), byte for byte, and functions to split a stream.
#pragma once

#include "source_folder.hpp"
#include "wire/sse.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stream_data {

inline std::string recorded(const std::string& name) {
    std::ifstream file(test::source_folder() / "tests/vlm/data" / (name + ".sse"),
                       std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (bytes.empty()) throw std::runtime_error("no recorded stream " + name);
    return bytes;
}

/// The events of `bytes`, read in pieces of `piece` bytes.
inline std::vector<eyehand::vlm::wire::ServerEvent>
events_of(std::string_view bytes, std::size_t piece, std::size_t longest_event = 1 << 20) {
    std::vector<eyehand::vlm::wire::ServerEvent> events;
    const auto collect = [&](const eyehand::vlm::wire::ServerEvent& event) {
        events.push_back(event);
    };
    eyehand::vlm::wire::EventParser parser("http://h/", longest_event);
    for (std::size_t at = 0; at < bytes.size(); at += piece)
        parser.feed(bytes.substr(at, piece), collect);
    parser.finish(collect);
    return events;
}

} // namespace stream_data
