// Asks the model what an image shows and prints the answer as it arrives. Links only libvlm.
//   ask http://localhost:1234 image.png
#include <eyehand/vlm/openai_client.hpp>

#include <cstdio>
#include <fstream>
#include <iterator>

using namespace eyehand;

int main(int, char** argv) {
    std::ifstream file(argv[2], std::ios::binary);
    const std::vector<std::uint8_t> png{std::istreambuf_iterator<char>(file), {}};
    vlm::OpenAiClient model({.endpoint = argv[1]});
    vlm::ChatRequest request;
    request.messages = {vlm::Message::user("What does this image show?", vlm::make_image(png))};
    model.reply(request, [](const vlm::Delta& delta) {
        if (delta.kind == vlm::Delta::Kind::text) std::fputs(delta.text.c_str(), stdout);
    });
}
