// Conventions for positions, image sizes of model processors, and the table of model families.
#include "eyehand/agent/coordinates.hpp"

#include "coordinates/model_id.hpp"

#include "catch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <vector>

using namespace eyehand;
using namespace eyehand::agent;
using winio::NormBox;
using winio::NormPoint;
using winio::Size;

namespace {

constexpr std::array conventions{
    CoordinateConvention::norm1000,        CoordinateConvention::norm999,
    CoordinateConvention::norm1000_yx,     CoordinateConvention::unit,
    CoordinateConvention::percent,         CoordinateConvention::image_pixels,
    CoordinateConvention::model_pixels_28, CoordinateConvention::model_pixels_32,
};

constexpr std::array<Size, 13> screens{{{640, 480},
                                        {800, 600},
                                        {1024, 768},
                                        {1152, 864},
                                        {1280, 720},
                                        {1366, 768},
                                        {1440, 900},
                                        {1536, 864},
                                        {1600, 900},
                                        {1920, 1080},
                                        {2560, 1440},
                                        {3440, 1440},
                                        {3840, 2160}}};

/// llama.cpp and Ollama limit tokens instead of pixels.
constexpr ImageProcessor limited_by_tokens(int factor, std::int64_t min, std::int64_t max) {
    const std::int64_t pixels = std::int64_t{factor} * factor;
    return {factor, min * pixels, max * pixels};
}

/// Reads "[1, 2]" as a model's reply is read.
std::vector<double> numbers_in(const std::string& text) {
    std::vector<double> numbers;
    for (const char* at = text.c_str() + 1; *at != '\0';) {
        char* end = nullptr;
        numbers.push_back(std::strtod(at, &end));
        if (end == at) return {};
        at = *end == ',' ? end + 1 : end + std::strlen(end); // the list ends with ']'
    }
    return numbers;
}

NormPoint read_back(const CoordinateConverter& converter, NormPoint point) {
    const auto numbers = numbers_in(converter.text(point));
    return converter.to_norm(std::array{numbers.at(0), numbers.at(1)});
}

/// How far the round trip pixel -> text -> pixel may move a point, in pixels of the area.
long max_move(double step, int extent) {
    return std::lround(step / 2 * (extent - 1) / 1000 - 1e-9);
}

struct RoundTrips {
    int pixels = 0;
    int moved = 0;    // to another pixel
    int too_far = 0;  // by more than half a step
    int needless = 0; // although a step is at most a pixel
};

/// Each column and each row once: the axes are converted separately.
RoundTrips round_trips(const CoordinateConverter& converter, Size screen) {
    const winio::WorkArea area({-100, 50, screen.width, screen.height});
    const NormPoint step = converter.step();
    const bool fine_x = step.x * (screen.width - 1) / 1000 <= 1 + 1e-9;
    const bool fine_y = step.y * (screen.height - 1) / 1000 <= 1 + 1e-9;
    RoundTrips trips;
    for (int i = 0; i < std::max(screen.width, screen.height); ++i) {
        const winio::Point from{-100 + i % screen.width, 50 + i % screen.height};
        const NormPoint exact = area.to_norm(from);
        const NormPoint read = read_back(converter, exact);
        const winio::Point to = area.to_pixel(read);
        ++trips.pixels;
        trips.moved += from != to;
        trips.too_far += std::abs(read.x - exact.x) > step.x / 2 + 1e-9 ||
                         std::abs(read.y - exact.y) > step.y / 2 + 1e-9 ||
                         std::abs(to.x - from.x) > max_move(step.x, screen.width) ||
                         std::abs(to.y - from.y) > max_move(step.y, screen.height);
        trips.needless += (fine_x && from.x != to.x) || (fine_y && from.y != to.y);
    }
    return trips;
}

struct KnownId {
    std::string_view id;
    std::string_view family;     // empty: none
    std::string_view convention; // or "cannot ground", "not known", "unknown" without a family
};

// Ids as LM Studio, llama-server, vLLM, Ollama, OpenRouter and other servers report them, from public
// issues, configurations and documents; those of text models are there because their names are similar.
constexpr KnownId known_ids[] = {
    {"qwen/qwen2.5-vl-7b", "Qwen2.5-VL", "model_pixels:28"},
    {"qwen2.5-vl-7b-instruct", "Qwen2.5-VL", "model_pixels:28"},
    {"qwen2.5-vl-7b-instruct@q8_0", "Qwen2.5-VL", "model_pixels:28"},
    {"qwen2.5-vl-7b-instruct@q6_k", "Qwen2.5-VL", "model_pixels:28"},
    {"lmstudio-community/qwen2.5-vl-3b-instruct", "Qwen2.5-VL", "model_pixels:28"},
    {"qwen/qwen3-vl-8b", "Qwen3-VL", "norm1000"},
    {"qwen/qwen3-vl-4b", "Qwen3-VL", "norm1000"},
    {"qwen/qwen3.5-9b", "Qwen3.5 and later", "norm1000"},
    {"qwen/qwen3.6-35b-a3b", "Qwen3.5 and later", "norm1000"},
    {"lmstudio-community/Qwen3.5-9B-GGUF", "Qwen3.5 and later", "norm1000"},
    {"google/gemma-3n-e4b", "Gemma 3", "norm1000_yx"},
    {"google/gemma-4-26b-a4b", "Gemma 4", "norm1000_yx"},
    {"google/gemma-4-26b-a4b@q4_k_m", "Gemma 4", "norm1000_yx"},
    {"ui-tars-1.5-7b@q4_k_m", "UI-TARS 1.5", "model_pixels:28"},
    {"ui-tars-1.5-7b-mlx", "UI-TARS 1.5", "model_pixels:28"},
    {"hack337/ui-tars-1.5-7b", "UI-TARS 1.5", "model_pixels:28"},
    {"qwen/qwen3-14b", "", "unknown"},
    {"qwen/qwen2.5-7b-instruct-q8_0", "", "unknown"},
    {"jais-adapted-7b-chat", "", "unknown"},
    {"mlx-community/Qwen2.5-VL-32B-Instruct-4bit", "Qwen2.5-VL", "model_pixels:28"},
    {"/models/Qwen3.8-27B-IQ3_M.gguf", "Qwen3.5 and later", "norm1000"},
    {"/models/Qwen3.5-0.8B-Q8_0.gguf", "Qwen3.5 and later", "norm1000"},
    {"/models/Qwen3.6-30B-A3B-Instruct-2507-Q4_K_M.gguf", "Qwen3.5 and later", "norm1000"},
    {"/models/qwen3-0.6b-q4_k_m.gguf", "", "unknown"},
    {"/models/Qwen3-35B.gguf", "", "unknown"},
    {"/root/.cache/huggingface/hub/models--unsloth--Qwen3.6-27B-MTP-GGUF/snapshots/"
     "b3a58239d8d40b953e34936c9afeb28baa518230/Qwen3.6-27B-UD-Q4_K_XL.gguf",
     "Qwen3.5 and later", "norm1000"},
    {"Qwen3VL-8B-Instruct-Q4_K_M.gguf", "Qwen3-VL", "norm1000"},
    {"lmstudio-community/Qwen2.5-VL-7B-Instruct-GGUF/Qwen2.5-VL-7B-Instruct-Q8_0.gguf",
     "Qwen2.5-VL", "model_pixels:28"},
    {"unsloth-Qwen3-VL-30B-A3B-Instruct-UD-Q4_K_XL.gguf", "Qwen3-VL", "norm1000"},
    {"google_gemma-4-E4B-it-Q5_K_M.gguf", "Gemma 4", "norm1000_yx"},
    {"GigaChat3.1-10B-A1.8B-q6_K.gguf", "", "unknown"},
    {"smolagents_SmolVLM2-2.2B-Instruct-Agentic-GUI-Q5_K_M.gguf", "SmolVLM2 Agentic-GUI", "unit"},
    {"SmolLM2-1.7B-Instruct-Q8_0.gguf", "", "unknown"},
    {"/models/qwen2-7b-instruct", "", "unknown"},
    {"/models/qwen", "", "unknown"},
    {"qwen2.5vl:7b", "Qwen2.5-VL", "model_pixels:28"},
    {"qwen3-vl:8b", "Qwen3-VL", "norm1000"},
    {"qwen3.5:9b", "Qwen3.5 and later", "norm1000"},
    {"qwen2.5:14b", "", "unknown"},
    {"llama3.2-vision:11b", "Llama and LLaVA", "cannot ground"},
    {"llama3.2", "", "unknown"},
    {"gemma3:4b", "Gemma 3", "norm1000_yx"},
    {"gemma4:e4b", "Gemma 4", "norm1000_yx"},
    {"moondream:1.8b", "Moondream", "unit"},
    {"ministral-3:8b", "Mistral of 2024 and 2025", "cannot ground"},
    {"llava:7b", "Llama and LLaVA", "cannot ground"},
    {"deepseek-r1:8b", "", "unknown"},
    {"devstral:latest", "", "unknown"},
    {"ahmadwaqar/mai-ui:2b", "MAI-UI", "norm999"},
    {"gelab-zero-4b-preview", "Step-GUI", "norm1000"},
    {"Qwen/Qwen2.5-VL-7B-Instruct", "Qwen2.5-VL", "model_pixels:28"},
    {"Qwen/Qwen3-VL-235B-A22B-Instruct", "Qwen3-VL", "norm1000"},
    {"Qwen/Qwen3-VL-32B-Thinking", "Qwen3-VL", "norm1000"},
    {"RedHatAI/Qwen3-VL-32B-Instruct-NVFP4", "Qwen3-VL", "norm1000"},
    {"Qwen/Qwen3-Coder-30B-A3B-Instruct", "", "unknown"},
    {"ByteDance-Seed/UI-TARS-1.5-7B", "UI-TARS 1.5", "model_pixels:28"},
    {"ByteDance-Seed/UI-TARS-7B-DPO", "UI-TARS", "norm1000"},
    {"bytedance-research/UI-TARS-2B-SFT", "UI-TARS", "norm1000"},
    {"OS-Copilot/OS-Atlas-Base-7B", "OS-Atlas", "norm1000"},
    {"osunlp/UGround-V1-7B", "UGround", "norm1000"},
    {"Hcompany/Holo1-7B", "Holo1", "model_pixels:28"},
    {"Hcompany/Holo1.5-7B", "Holo1", "model_pixels:28"},
    {"Hcompany/Holo2-8B", "Holo2", "norm1000"},
    {"hcompany/holo2-30b-a3b", "Holo2", "norm1000"},
    {"Hcompany/Holo3-35B-A3B", "Holo2", "norm1000"},
    {"Salesforce/GTA1-7B", "GTA1", "model_pixels:28"},
    {"HelloKKMe/GTA1-7B", "GTA1", "model_pixels:28"},
    {"xlangai/Jedi-7B-1080p", "Jedi", "model_pixels:28"},
    {"xlangai/OpenCUA-32B", "OpenCUA", "model_pixels:28"},
    {"OpenCUA/OpenCUA-Qwen2-7B", "OpenCUA (Qwen2, A3B)", "unit"},
    {"OpenCUA/OpenCUA-A3B", "OpenCUA (Qwen2, A3B)", "unit"},
    {"fara-1.5-9b", "Fara 1.5", "norm1000"},
    {"fara-7b", "Fara-7B", "model_pixels:28"},
    {"gui-owl-7b", "GUI-Owl 1", "model_pixels:28"},
    {"mPLUG/GUI-Owl-1.5-8B-Instruct", "GUI-Owl 1.5", "norm1000"},
    {"Tongyi-MAI/MAI-UI-8B", "MAI-UI", "norm999"},
    {"stepfun-ai/GELab-Zero-4B-preview", "Step-GUI", "norm1000"},
    {"EvoCUA-S1", "EvoCUA S1", "model_pixels:28"},
    {"EvoCUA-8B", "EvoCUA", "norm999"},
    {"OpenGVLab/InternVL3_5-4B", "InternVL", "norm1000"},
    {"OpenGVLab/InternVL2_5-8B", "InternVL", "norm1000"},
    {"OpenGVLab/ScaleCUA-32B", "GUI models made from Qwen2.5-VL", "model_pixels:28"},
    {"microsoft/GUI-Actor-7B-Qwen2.5-VL", "GUI-Actor", "cannot ground"},
    {"inclusionAI/GUI-G2-7B", "GUI models made from Qwen2.5-VL", "model_pixels:28"},
    {"showlab/ShowUI-2B", "ShowUI", "unit"},
    {"moonshotai/Kimi-VL-A3B-Instruct", "Kimi-VL", "unit"},
    {"openbmb/MiniCPM-V-4.6", "MiniCPM-V", "norm1000"},
    {"allenai/Molmo-7B-D-0924", "Molmo", "percent"},
    {"allenai/Molmo2-8B", "Molmo 2", "norm1000"},
    {"allenai/MolmoPoint-8B", "MolmoPoint", "cannot ground"},
    {"google/gemma-4-E4B-it-qat-w4a16-ct", "Gemma 4", "norm1000_yx"},
    {"tencent/UI-Mate-9B", "UI-Mate", "norm1000"},
    {"smolagents/SmolVLM2-2.2B-Instruct-Agentic-GUI", "SmolVLM2 Agentic-GUI", "unit"},
    {"zai-org/GLM-4.5V", "GLM-V", "norm999"},
    {"glm-4.6v-flash", "GLM-V", "norm999"},
    {"bytedance/ui-tars-1.5-7b", "UI-TARS 1.5", "model_pixels:28"},
    {"parasail-ui-tars-1p5-7b", "UI-TARS 1.5", "model_pixels:28"},
    {"bytedance-research/ui-tars-72b", "UI-TARS", "norm1000"},
    {"bytedance-seed/seed-1.6", "Seed", "norm1000"},
    {"bytedance-seed/seed-2.0-mini", "Seed", "norm1000"},
    {"doubao-seed-2-1-turbo-260628", "Seed", "norm1000"},
    {"qwen/qwen-2.5-vl-7b-instruct", "Qwen2.5-VL", "model_pixels:28"},
    {"qwen/qwen2.5-vl-72b-instruct", "Qwen2.5-VL", "model_pixels:28"},
    {"qwen/qwen-2-vl-72b-instruct", "Qwen2-VL", "norm1000"},
    {"qwen/qwen3-vl-30b-a3b-instruct", "Qwen3-VL", "norm1000"},
    {"qwen/qwen3-next-80b-a3b-instruct", "", "unknown"},
    {"qwen/qwen3.5-122b-a10b", "Qwen3.5 and later", "norm1000"},
    {"qwen/qwen3.8-27b", "Qwen3.5 and later", "norm1000"},
    {"qwen3-vl-plus", "Qwen3-VL", "norm1000"},
    {"z-ai/glm-4.6v", "GLM-V", "norm999"},
    {"z-ai/glm-4.6", "", "unknown"},
    {"moonshotai/kimi-k2.5", "Kimi K2.5 and later", "unit"},
    {"moonshotai/kimi-k2-0905", "", "unknown"},
    {"moonshotai/kimi-vl-a3b-thinking:free", "Kimi-VL", "unit"},
    {"google/gemini-3.1-pro-preview", "Gemini", "norm1000_yx"},
    {"google/gemini-3-flash-preview", "Gemini", "norm1000_yx"},
    {"gemini-2.5-flash", "Gemini", "norm1000_yx"},
    {"gemini-2.5-computer-use-preview-10-2025", "Gemini computer use", "norm1000"},
    {"google/gemma-4-31b-it:free", "Gemma 4", "norm1000_yx"},
    {"anthropic/claude-sonnet-4", "Claude", "image_pixels"},
    {"claude-haiku-4-5-20251001", "Claude", "image_pixels"},
    {"claude-opus-4-8", "Claude", "image_pixels"},
    {"claude-sonnet-5-5", "Claude", "image_pixels"},
    {"openai/gpt-5.4-mini", "GPT", "image_pixels"},
    {"gpt-5-mini", "GPT", "image_pixels"},
    {"gpt-5.6-sol", "GPT", "image_pixels"},
    {"computer-use-preview", "OpenAI computer use", "image_pixels"},
    {"openai/gpt-oss-20b:free", "GPT-OSS", "cannot ground"},
    {"mistralai/mistral-small-3.2-24b-instruct", "Mistral of 2024 and 2025", "cannot ground"},
    {"mistralai/pixtral-large-2411", "Mistral of 2024 and 2025", "cannot ground"},
    {"mistralai/ministral-3b-2512", "Mistral of 2024 and 2025", "cannot ground"},
    {"mistral-large-4", "Mistral Large 4", "not known"},
    {"meta-llama/llama-4-maverick", "Llama and LLaVA", "cannot ground"},
    {"nvidia/nemotron-nano-12b-v2-vl:free", "SmolVLM and Nemotron VL", "cannot ground"},
    {"nvidia/nemotron-3-super-120b-a12b:free", "", "unknown"},
    {"allenai/molmo-2-8b:free", "Molmo 2", "norm1000"},
    {"deepseek/deepseek-chat", "", "unknown"},
    {"baidu/ernie-4.5-vl-424b-a47b", "ERNIE-4.5-VL", "norm1000"},
    {"stepfun/step-3.5-flash", "", "unknown"},
    {"xiaomi/mimo-v2-flash:free", "", "unknown"},
    {"xlangai/Aguvis-7B-720P", "Aguvis", "unit"},
    {"autoglm-phone-9b", "AutoGLM", "norm999"},
    {"stepfun-ai/Step3-VL-10B", "Step-GUI", "norm1000"},
    {"xiaomi/mimo-v2.5", "MiMo V2.5", "norm1000"},
    {"Qwen/Qwen3-Omni-30B-A3B-Instruct", "Qwen3-Omni", "norm1000"},
    {"Qwen/Qwen2.5-Omni-7B", "Qwen2.5-Omni", "model_pixels:28"},
    {"deepseek-ai/deepseek-vl2", "DeepSeek-VL2", "norm999"},
    {"microsoft/Phi-4-multimodal-instruct", "Phi-4-multimodal", "unit"},
    {"HuggingFaceTB/SmolVLM2-2.2B-Instruct", "SmolVLM and Nemotron VL", "cannot ground"},
    {"ritzz/GUI-R1-7B", "GUI models made from Qwen2.5-VL", "model_pixels:28"},
    {"zai-org/GLM-4.1V-9B-Thinking", "GLM-V", "norm999"},
    {"gpt-4o", "GPT", "image_pixels"},
};

std::string_view convention_of(const std::optional<ModelFamily>& family) {
    if (!family) return "unknown";
    if (!family->grounds) return "cannot ground";
    return family->convention ? to_string(*family->convention) : "not known";
}

} // namespace

// --- Conventions ---------------------------------------------------------------------------------

TEST_CASE("coordinates: each convention has a word that is parsed again, and a description") {
    std::set<std::string_view> words;
    for (const CoordinateConvention convention : conventions) {
        const auto word = to_string(convention);
        CAPTURE(word);
        CHECK(words.insert(word).second);
        CHECK(parse_coordinate_convention(word) == convention);
        CHECK(!description(convention).empty());
    }
    CHECK(words.contains("model_pixels:28"));
    CHECK(words.contains("model_pixels:32"));
    CHECK(image_factor(CoordinateConvention::model_pixels_28) == 28);
    CHECK(image_factor(CoordinateConvention::model_pixels_32) == 32);
    CHECK(image_factor(CoordinateConvention::image_pixels) == 0);
}

TEST_CASE("coordinates: other words are not conventions") {
    const std::string word = GENERATE("", "auto", "norm", "Norm1000", "norm1000 ", "model_pixels",
                                      "model_pixels:", "model_pixels:27", "model_pixels:280");
    CAPTURE(word);
    CHECK(!parse_coordinate_convention(word));
}

// --- Conversion ----------------------------------------------------------------------------------

TEST_CASE("coordinates: from a pixel to text and back, a point moves by at most half a step") {
    for (const CoordinateConvention convention : conventions)
        for (const Size screen : screens)
            for (const Size image : {screen, winio::fit_within(screen, {1280, 720})}) {
                const CoordinateConverter converter(convention, image);
                const RoundTrips trips = round_trips(converter, screen);
                CAPTURE(to_string(convention), screen.width, image.width);
                CHECK(trips.pixels == screen.width);
                CHECK(trips.too_far == 0);
                CHECK(trips.needless == 0);
            }
}

TEST_CASE("coordinates: a point moves only if a step is more than a pixel") {
    const auto moved = [](CoordinateConvention convention, Size image, Size screen) {
        return round_trips(CoordinateConverter(convention, image), screen).moved;
    };
    using enum CoordinateConvention;
    CHECK(moved(norm1000, {800, 600}, {800, 600}) == 0);
    CHECK(moved(norm1000, {1920, 1080}, {1920, 1080}) > 0);
    CHECK(moved(unit, {3840, 2160}, {3840, 2160}) == 0);
    CHECK(moved(percent, {3840, 2160}, {3840, 2160}) == 0);
    CHECK(moved(image_pixels, {1920, 1080}, {1920, 1080}) == 0);
    CHECK(moved(image_pixels, {1280, 720}, {1920, 1080}) > 0);
    CHECK(moved(model_pixels_28, {1920, 1080}, {1920, 1080}) == 0); // 1932x1092
    CHECK(moved(model_pixels_28, {1280, 720}, {1920, 1080}) > 0);
}

TEST_CASE("coordinates: from a number of the model to a position and back, the number stays") {
    for (const CoordinateConvention convention : conventions)
        for (const Size screen : screens) {
            const CoordinateConverter converter(convention, screen);
            const double scale = std::pow(10.0, converter.decimals());
            int changed = 0;
            const auto last = std::lround(converter.max_point().x * scale);
            for (long i = 0; i <= last; ++i) {
                const ModelPoint point{
                    static_cast<double>(i) / scale,
                    std::min(static_cast<double>(i) / scale, converter.max_point().y)};
                changed += converter.to_model(converter.to_norm(point)) != point;
            }
            CAPTURE(to_string(convention), screen.width);
            CHECK(changed == 0);
        }
}

TEST_CASE("coordinates: the ends of a range are the first and the last pixel") {
    for (const CoordinateConvention convention : conventions) {
        const CoordinateConverter converter(convention, {1288, 728});
        CAPTURE(to_string(convention));
        CHECK(converter.to_model(NormPoint{0, 0}) == ModelPoint{0, 0});
        CHECK(converter.to_model(NormPoint{1000, 1000}) == converter.max_point());
        CHECK(converter.to_norm(ModelPoint{0, 0}) == NormPoint{0, 0});
        CHECK(converter.to_norm(converter.max_point()) == NormPoint{1000, 1000});
    }
}

TEST_CASE("coordinates: each convention has its range, its decimals and its order") {
    const auto of = [](CoordinateConvention convention) {
        const CoordinateConverter converter(convention, {1280, 720});
        return converter.text(NormPoint{1000, 250}) + ' ' + converter.range_text();
    };
    using enum CoordinateConvention;
    CHECK(of(norm1000) == "[1000, 250] x from 0 to 1000, y from 0 to 1000");
    CHECK(of(norm999) == "[999, 250] x from 0 to 999, y from 0 to 999");
    CHECK(of(norm1000_yx) == "[250, 1000] y from 0 to 1000, x from 0 to 1000");
    CHECK(of(unit) == "[1, 0.25] x from 0 to 1, y from 0 to 1");
    CHECK(of(percent) == "[100, 25] x from 0 to 100, y from 0 to 100");
    CHECK(of(image_pixels) == "[1279, 180] x from 0 to 1279, y from 0 to 719");
    CHECK(of(model_pixels_28) == "[1287, 182] x from 0 to 1287, y from 0 to 727");
    CHECK(of(model_pixels_32) == "[1279, 176] x from 0 to 1279, y from 0 to 703");
}

TEST_CASE("coordinates: numbers are written without an exponent, a sign or needless digits") {
    const CoordinateConverter unit(CoordinateConvention::unit, {1280, 720});
    CHECK(unit.text(NormPoint{0.1, 333.333}) == "[0.0001, 0.3333]");
    CHECK(unit.text(NormPoint{-0.0, 500}) == "[0, 0.5]");
    const CoordinateConverter percent(CoordinateConvention::percent, {1280, 720});
    CHECK(percent.text(NormPoint{615, 404.04}) == "[61.5, 40.4]");
    CHECK(percent.text(NormBox{0, 0.04, 1000, 0.06}) == "[0, 0, 100, 0.01]");
}

TEST_CASE("coordinates: y first applies to lists, not to numbers by axis") {
    const CoordinateConverter converter(CoordinateConvention::norm1000_yx, {1280, 720});
    CHECK(converter.to_model(NormPoint{100, 200}) == ModelPoint{100, 200});
    CHECK(converter.to_norm(ModelPoint{100, 200}) == NormPoint{100, 200});
    CHECK(converter.to_list(NormPoint{100, 200}) == std::array{200.0, 100.0});
    CHECK(converter.to_norm(std::array{200.0, 100.0}) == NormPoint{100, 200});
    CHECK(converter.to_list(NormBox{1, 2, 3, 4}) == std::array{2.0, 1.0, 4.0, 3.0});
    CHECK(converter.to_norm(std::array{2.0, 1.0, 4.0, 3.0}) == NormBox{1, 2, 3, 4});
    CHECK(converter.text(NormBox{1, 2, 3, 4}) == "[2, 1, 4, 3]");
}

TEST_CASE("coordinates: inverted corners are swapped") {
    const CoordinateConverter converter(CoordinateConvention::norm1000, {1280, 720});
    CHECK(converter.to_norm(std::array{300.0, 20.0, 100.0, 40.0}) == NormBox{100, 20, 300, 40});
}

TEST_CASE("coordinates: numbers out of range are clamped and reported, NaN is 0") {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const CoordinateConverter converter(CoordinateConvention::image_pixels, {1280, 720});
    CHECK(converter.to_norm(ModelPoint{-5, 720}) == NormPoint{0, 1000});
    CHECK(converter.to_norm(ModelPoint{infinity, -infinity}) == NormPoint{1000, 0});
    CHECK(converter.to_norm(ModelPoint{nan, nan}) == NormPoint{0, 0});
    CHECK(converter.to_model(NormPoint{-1, 1001}) == ModelPoint{0, 719});
    CHECK(converter.to_model(NormPoint{nan, infinity}) == ModelPoint{0, 719});

    CHECK(converter.contains({0, 0}));
    CHECK(converter.contains({1279, 719}));
    CHECK(!converter.contains({1280, 0}));
    CHECK(!converter.contains({0, 720}));
    CHECK(!converter.contains({-1, 0}));
    CHECK(!converter.contains({0, nan}));
    CHECK(!converter.contains({infinity, 0}));
}

TEST_CASE("coordinates: a correction is applied to stated positions, and reversed for read ones") {
    const Correction correction{.scale_x = 1.25, .offset_x = -20, .offset_y = 10};
    for (const CoordinateConvention convention : conventions) {
        INFO(to_string(convention));
        const CoordinateConverter plain(convention, {1400, 840});
        const CoordinateConverter corrected(convention, {1400, 840}, std::nullopt, correction);
        const auto stated = plain.to_list(NormPoint{400, 500});
        CHECK_THAT(corrected.to_norm(stated).x, Catch::Matchers::WithinAbs(480, 1.5));
        CHECK_THAT(corrected.to_norm(stated).y, Catch::Matchers::WithinAbs(510, 1.5));
        CHECK(corrected.to_list(corrected.to_norm(stated)) == stated);
        CHECK(corrected.max_point() == plain.max_point());
        CHECK(corrected.range_text() == plain.range_text());
        CHECK(corrected.contains(plain.max_point()));
        CHECK(corrected.to_norm(plain.max_point()).x == 1000); // clamped
        CHECK(corrected.to_norm(ModelPoint{0, 0}).x == 0);
        CHECK(corrected.to_model({0, 0}).x >= 0);
    }
    const auto with = [](const Correction& one) {
        return CoordinateConverter(CoordinateConvention::unit, {9, 9}, std::nullopt, one);
    };
    const Correction precise{1.0137, -20.123, 0.99, 0.1};
    Correction reread = precise; // JSON does not keep the last digit
    reread.scale_x = std::nextafter(reread.scale_x, 2);
    CHECK(with(precise).to_norm(ModelPoint{0.3, 0.7}) ==
          with(reread).to_norm(ModelPoint{0.3, 0.7}));
    CHECK_THROWS_AS(with({.scale_x = 0}), std::invalid_argument);
    CHECK_THROWS_AS(with({.offset_y = 501}), std::invalid_argument);
    CHECK_THROWS_AS(with({.scale_y = std::nan("")}), std::invalid_argument);
}

TEST_CASE("coordinates: an image of one pixel has one position") {
    const CoordinateConverter converter(CoordinateConvention::image_pixels, {1, 1});
    CHECK(converter.to_model(NormPoint{1000, 500}) == ModelPoint{0, 0});
    CHECK(converter.to_norm(ModelPoint{7, 0}) == NormPoint{0, 0});
    CHECK(converter.step() == NormPoint{0, 0});
}

TEST_CASE("coordinates: model pixels are those of the image that the processor has resized") {
    using enum CoordinateConvention;
    CHECK(CoordinateConverter(image_pixels, {1920, 1080}).model_image() == Size{1920, 1080});
    CHECK(CoordinateConverter(model_pixels_28, {1920, 1080}).model_image() == Size{1932, 1092});
    CHECK(CoordinateConverter(model_pixels_32, {1920, 1080}).model_image() == Size{1920, 1088});
    const ImageProcessor limited{28, 3136, 1'003'520};
    const CoordinateConverter shrunk(model_pixels_28, {1920, 1080}, limited);
    CHECK(shrunk.model_image() == Size{1316, 728});
    CHECK(shrunk.to_model(NormPoint{1000, 1000}) == ModelPoint{1315, 727});
}

TEST_CASE("coordinates: a converter refuses an empty image and another factor") {
    using enum CoordinateConvention;
    CHECK_THROWS_AS(CoordinateConverter(norm1000, {0, 720}), std::invalid_argument);
    CHECK_THROWS_AS(CoordinateConverter(model_pixels_28, {720, 0}), std::invalid_argument);
    CHECK_THROWS_AS(CoordinateConverter(model_pixels_28, {1280, 720}, qwen3_processor),
                    std::invalid_argument);
    CHECK_NOTHROW(CoordinateConverter(norm1000, {1280, 720}, qwen3_processor));
}

// --- Image sizes ---------------------------------------------------------------------------------

TEST_CASE("image size: the sizes that public code states") {
    const ImageProcessor factor_28 = qwen2_5_processor;
    const ImageProcessor factor_32 = qwen3_processor;
    // OSWorld mm_agents/owl_agent.py: its prompt states this size for a screen of 1920x1080.
    CHECK(model_image_size({1920, 1080}, factor_28) == Size{1932, 1092});
    // Tests of public ports of smart_resize for Qwen2-VL, dots.ocr and Fara 1.5, found as
    // "assert smart_resize(".
    CHECK(model_image_size({2000, 1000}, {28, 3136, 4'000'000}) == Size{1988, 1008});
    CHECK(model_image_size({10, 10}, {28, 3136, 4'000'000}) == Size{56, 56});
    CHECK(model_image_size({1654, 2339}, factor_28) == Size{1652, 2352});
    CHECK(model_image_size({200, 200}, factor_28) == Size{196, 196});
    CHECK(model_image_size({196, 196}, factor_28) == Size{196, 196});
    CHECK(model_image_size({56, 112}, factor_28) == Size{56, 112});
    CHECK(model_image_size({1440, 900}, {32, 3136, 12'845'056}) == Size{1440, 896});
    CHECK(model_image_size({3100, 16}, factor_32) == Size{3104, 32});
}

TEST_CASE("image size: halves are rounded to even multiples") {
    CHECK(model_image_size({70, 98}, {28, 1, 1'000'000}) == Size{56, 112});
    CHECK(model_image_size({1280, 720}, qwen3_processor) == Size{1280, 704});
    CHECK(model_image_size({1280, 752}, qwen3_processor) == Size{1280, 768});
}

TEST_CASE("image size: the limits of the number of pixels") {
    // Computed with smart_resize of README_coordinates.md in bytedance/UI-TARS.
    const ImageProcessor class_default{28, 3136, 1'003'520};
    CHECK(model_image_size({1280, 720}, class_default) == Size{1288, 728});
    CHECK(model_image_size({1440, 900}, class_default) == Size{1260, 784});
    CHECK(model_image_size({3840, 2160}, class_default) == Size{1316, 728});
    CHECK(model_image_size({3840, 2160}, limited_by_tokens(28, 8, 4096)) == Size{2380, 1344});
    CHECK(model_image_size({1024, 768}, limited_by_tokens(32, 1024, 4096)) == Size{1184, 896});
    CHECK(model_image_size({8000, 40}, {28, 784, 784}) == Size{392, 28}); // at least a factor
}

TEST_CASE("image size: the processor's size is stable") {
    for (const ImageProcessor& processor : {qwen2_5_processor, qwen3_processor})
        for (const Size screen : screens) {
            const Size once = model_image_size(screen, processor);
            CHECK(model_image_size(once, processor) == once);
        }
}

TEST_CASE("image size: what the reference implementation refuses") {
    const ImageProcessor processor = qwen2_5_processor;
    CHECK_THROWS_AS(model_image_size({0, 100}, processor), std::invalid_argument);
    CHECK_THROWS_AS(model_image_size({10, 2010}, processor), std::invalid_argument);
    CHECK_NOTHROW(model_image_size({10, 2000}, processor));
    CHECK_THROWS_AS(model_image_size({100, 100}, {0, 3136, 5000}), std::invalid_argument);
    CHECK_THROWS_AS(model_image_size({100, 100}, {28, 5000, 4999}), std::invalid_argument);
    CHECK_THROWS_AS(model_image_size({100, 100}, {28, 0, 4999}), std::invalid_argument);
    constexpr int largest = std::numeric_limits<int>::max();
    CHECK(model_image_size({largest, largest}, processor) == Size{3584, 3584});
}

TEST_CASE("stable image size: sizes that fit, that no processor changes, near the aspect ratio") {
    for (const ImageProcessor& processor :
         {qwen2_5_processor, qwen3_processor, limited_by_tokens(28, 100, 1280)})
        for (const Size screen : screens)
            for (const Size requested :
                 {Size{1024, 1024}, Size{1280, 720}, Size{1536, 864}, screen}) {
                CAPTURE(screen.width, requested.width, processor.factor);
                const auto size = stable_image_size(screen, requested, processor);
                REQUIRE(size);
                CHECK(size->width <= std::min(screen.width, requested.width));
                CHECK(size->height <= std::min(screen.height, requested.height));
                CHECK(model_image_size(*size, processor) == *size);
                const double ideal_height =
                    static_cast<double>(size->width) * screen.height / screen.width;
                const double ideal_width =
                    static_cast<double>(size->height) * screen.width / screen.height;
                CHECK((std::abs(size->height - ideal_height) <= processor.factor / 2.0 ||
                       std::abs(size->width - ideal_width) <= processor.factor / 2.0));
                // At most a row and a column of tokens smaller than the requested size or the limit.
                const Size fit = winio::fit_within(screen, requested);
                const double limit = static_cast<double>(processor.max_pixels);
                const double shrink =
                    std::min(1.0, std::sqrt(limit / (static_cast<double>(fit.width) * fit.height)));
                CHECK(size->width > fit.width * shrink - 2 * processor.factor);
                CHECK(size->height > fit.height * shrink - 2 * processor.factor);
            }
}

TEST_CASE("stable image size: a screen, a portrait and a strip") {
    const ImageProcessor processor = qwen2_5_processor;
    CHECK(stable_image_size({1920, 1080}, {1288, 728}, processor) == Size{1288, 728});
    CHECK(stable_image_size({728, 1288}, {728, 1288}, processor) == Size{728, 1288});
    CHECK(stable_image_size({1092, 1932}, {728, 1288}, processor) == Size{728, 1288});
    CHECK(stable_image_size({1500, 40}, {1500, 40}, processor) == Size{1484, 28});
    CHECK(stable_image_size({6000, 28}, {6000, 28}, processor) == Size{5600, 28}); // ratio 200
    CHECK(stable_image_size({1920, 1080}, {1280, 720}, processor) == Size{1260, 700});
}

TEST_CASE("stable image size: empty if the area or the requested size is too small") {
    const ImageProcessor processor = qwen2_5_processor;
    CHECK(!stable_image_size({1920, 1080}, {40, 40}, processor)); // 28x28 has too few pixels
    CHECK(!stable_image_size({1920, 27}, {1920, 1080}, processor));
    CHECK(!stable_image_size({800, 600}, {800, 600}, limited_by_tokens(28, 1024, 4096)));
    CHECK_THROWS_AS(stable_image_size({0, 600}, {800, 600}, processor), std::invalid_argument);
    CHECK_THROWS_AS(stable_image_size({800, 600}, {800, 0}, processor), std::invalid_argument);
    CHECK_THROWS_AS(stable_image_size({800, 600}, {800, 600}, {28, 2, 1}), std::invalid_argument);
}

TEST_CASE("image tokens: one for each square of the factor") {
    // A public port for Qwen3.5 tests these numbers ("assert image_tokens(").
    CHECK(image_tokens({640, 480}, qwen3_processor) == 300);
    CHECK(image_tokens({10, 10}, qwen3_processor) == 64);
    CHECK(image_tokens({4096, 4096}, qwen3_processor) == 16'384);
    CHECK(image_tokens({1288, 728}, qwen2_5_processor) == 1196);
    CHECK(image_tokens({1920, 1080}, qwen2_5_processor) == 2691);
}

TEST_CASE("image resizing: the server's count tells whether the image was changed") {
    const ImageProcessor processor = qwen2_5_processor;
    const auto expected = image_tokens({1288, 728}, processor);
    CHECK(image_resizing(expected, expected) == ImageResizing::as_expected);
    CHECK(image_resizing(expected, expected + 2) == ImageResizing::as_expected);
    CHECK(image_resizing(expected, expected + 16) == ImageResizing::as_expected);
    CHECK(image_resizing(expected, expected + 17) == ImageResizing::enlarged);
    CHECK(image_resizing(expected, expected - 1) == ImageResizing::shrunk);

    // LM Studio with a long side of 1024 pixels; Ollama's limit for 1920x1080; one column fewer.
    CHECK(image_resizing(expected, image_tokens({1024, 579}, processor) + 2) ==
          ImageResizing::shrunk);
    CHECK(image_resizing(2691, 2584 + 2) == ImageResizing::shrunk);
    CHECK(image_resizing(expected, image_tokens({1260, 728}, processor) + 16) ==
          ImageResizing::shrunk);
    CHECK(image_resizing(expected, image_tokens({1316, 728}, processor)) ==
          ImageResizing::enlarged);
}

TEST_CASE("image resizing: counts that say nothing are unknown") {
    CHECK(image_resizing(1196, 0) == ImageResizing::unknown);
    CHECK(image_resizing(1196, -3) == ImageResizing::unknown);
    CHECK(image_resizing(1196, 16) == ImageResizing::unknown);
    CHECK(image_resizing(16, 1196) == ImageResizing::unknown);
    constexpr auto largest = std::numeric_limits<std::int64_t>::max();
    CHECK(image_resizing(largest, largest) == ImageResizing::as_expected);
    CHECK(image_resizing(17, largest) == ImageResizing::enlarged);
}

// --- Model families ------------------------------------------------------------------------------

TEST_CASE("model family: ids as servers report them") {
    static_assert(std::size(known_ids) >= 60);
    for (const KnownId& known : known_ids) {
        CAPTURE(known.id);
        const auto family = model_family(known.id);
        CHECK((family ? family->name : "") == known.family);
        CHECK(convention_of(family) == known.convention);
    }
}

TEST_CASE("model family: each row and each alternative of a row matches an id first") {
    // Spellings of which no public id was found.
    const std::vector<std::string_view> spellings{"Qwen25VL-7B", "UI-TARS-15-7B", "Fara15-9B",
                                                  "InfiGUI-G1-7B", "Step-GUI-8B"};
    const auto is_first = [&](const ModelFamily& row, std::string_view alternative) {
        const auto shows = [&](std::string_view id) {
            return contains_parts(normalized_model_id(id), alternative) &&
                   model_family(id)->name == row.name;
        };
        return std::ranges::any_of(known_ids, shows, &KnownId::id) ||
               std::ranges::any_of(spellings, shows);
    };
    for (const ModelFamily& row : model_families())
        any_alternative(row.ids, [&](std::string_view alternative) {
            CAPTURE(row.name, alternative);
            CHECK(is_first(row, alternative));
            return false;
        });
}

TEST_CASE("model family: the rows are consistent") {
    std::set<std::string_view> names;
    for (const ModelFamily& row : model_families()) {
        CAPTURE(row.name);
        CHECK(!row.name.empty());
        CHECK(names.insert(row.name).second);
        CHECK(!row.source.empty());
        CHECK((row.grounds || !row.convention));
        any_alternative(row.ids, [&](std::string_view alternative) {
            CHECK(!alternative.empty());
            CHECK(normalized_model_id(alternative) == alternative);
            return false;
        });
        if (!row.processor) continue;
        CHECK_NOTHROW(model_image_size({1280, 720}, *row.processor));
        if (row.convention && image_factor(*row.convention) != 0)
            CHECK(row.processor->factor == image_factor(*row.convention));
    }
}

TEST_CASE("model family: paths, suffixes, case and white space do not matter") {
    const std::string id =
        GENERATE("Qwen3-VL-8B", "QWEN3_VL", "qwen3 vl", "/models/Qwen3-VL-8B/",
                 "C:\\m\\qwen3-vl.gguf", "hf.co/unsloth/Qwen3-VL-8B-Instruct-GGUF:Q4_K_M",
                 "qwen/qwen3-vl-8b@q8_0", " qwen/qwen3-vl-8b:free\n");
    CAPTURE(id);
    const auto family = model_family(id);
    REQUIRE(family);
    CHECK(family->name == "Qwen3-VL");
}

TEST_CASE("model family: folders say nothing about the model in them, and some ids say nothing") {
    const std::string id = GENERATE("", "/", " ", ".gguf", "default", "local-model",
                                    "/models/qwen3-vl/model.gguf", "\xff\xfe", "qwen3-v-l2");
    CAPTURE(id);
    const bool found = model_family(id).has_value();
    CHECK(found == (id == "qwen3-v-l2")); // dashes do not separate words
}

TEST_CASE("model family: the limits of a processor come with the family") {
    CHECK(model_family("ui-tars-1.5-7b")->processor == ImageProcessor{28, 78'400, 12'845'056});
    CHECK(model_family("qwen2.5vl:7b")->processor == qwen2_5_processor);
    CHECK(model_family("qwen3.5:9b")->processor == qwen3_processor);
    CHECK(!model_family("claude-opus-4-8")->processor);
}
