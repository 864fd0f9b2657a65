#include "eyehand/agent/coordinates.hpp"

#include "coordinates/model_id.hpp"

#include <algorithm>

namespace eyehand::agent {
namespace {

using enum CoordinateConvention;
using enum Certainty;

// To add a family, add a row and an id of it to tests/agent/coordinates_test.cpp. The sources were read
// in November 2026. "code" and "inferred" rows are the first to check if clicks miss.
// The sources of dialects are in the files that read them (dialects/).
constexpr ModelFamily families[] = {
    // --- Models that were trained to use computers and phones ------------------------------------
    {.ids = "guiactor",
     .name = "GUI-Actor",
     .grounds = false, // it points by attention, with an action head that servers do not run
     .processor = qwen2_5_processor,
     .certainty = vendor,
     .source =
         "huggingface.co/microsoft/GUI-Actor-7B-Qwen2.5-VL; huggingface.co/papers/2506.03143"},
    {.ids = "uitars1.5|uitars15|uitars1p5",
     .name = "UI-TARS 1.5",
     .convention = model_pixels_28,
     .dialect = Dialect::ui_tars,
     .processor = ImageProcessor{28, 78'400, 12'845'056},
     .certainty = vendor,
     .source = "bytedance/UI-TARS#157 (an author: absolute coordinates) and README_coordinates.md"},
    {.ids = "uitars", // 1.0 and 2; the limits are those of 1.0
     .name = "UI-TARS",
     .convention = norm1000,
     .dialect = Dialect::ui_tars,
     .processor = ImageProcessor{28, 3136, 2'116'800},
     .certainty = vendor,
     .source = "bytedance/UI-TARS#157 and #195; preprocessor_config.json of "
               "huggingface.co/bytedance-research/UI-TARS-7B-SFT; for UI-TARS-2 trycua/cua "
               "libs/python/agent/agent/loops/uitars2.py"},
    {.ids = "doubao|seed1.|seed2",
     .name = "Seed",
     .convention = norm1000,
     .certainty = code,
     .source = "web-infra-dev/midscene packages/core/src/ai-model/common.ts (adaptDoubaoBbox)"},
    {.ids = "opencuaqwen2|opencuaa3b", // made from Qwen2-VL and Kimi-VL
     .name = "OpenCUA (Qwen2, A3B)",
     .convention = unit,
     .dialect = Dialect::pyautogui,
     .processor = qwen2_5_processor,
     .certainty = vendor,
     .source = "model card of OpenCUA (huggingface.co/xlangai)"},
    {.ids = "opencua", // made from Qwen2.5-VL; 72B only according to the harness
     .name = "OpenCUA",
     .convention = model_pixels_28,
     .dialect = Dialect::pyautogui,
     .processor = qwen2_5_processor,
     .certainty = vendor,
     .source =
         "model card of OpenCUA (huggingface.co/xlangai); mm_agents/opencua/opencua_agent.py of "
         "OSWorld (copy in mrwwk/DeskCraft)"},
    {.ids = "holo1", // 1 and 1.5
     .name = "Holo1",
     .convention = model_pixels_28,
     .processor = qwen2_5_processor,
     .certainty = code,
     .source = "huggingface.co/spaces/Hcompany/Holo1-Localization app.py; trycua/cua "
               "libs/python/agent/agent/loops/holo.py"},
    {.ids = "holo2|holo3", // Holo3 is inferred from Holo2
     .name = "Holo2",
     .convention = norm1000,
     .processor = qwen3_processor,
     .certainty = vendor,
     .source = "model card of huggingface.co/Hcompany/Holo2-4B (ClickCoordinates)"},
    {.ids = "gta1",
     .name = "GTA1",
     .convention = model_pixels_28,
     .processor = ImageProcessor{28, 3136, 8'847'360}, // 4096x2160
     .certainty = code,
     .source = "trycua/cua libs/python/agent/agent/loops/gta1.py; the limits of a public harness"},
    {.ids = "jedi",
     .name = "Jedi",
     .convention = model_pixels_28,
     .processor = qwen2_5_processor,
     .certainty = code,
     .source =
         "the evaluation of AutoGUI v2 (utils.openai_utils.jedi): absolute computer_use calls"},
    {.ids = "fara1.5|fara15",
     .name = "Fara 1.5",
     .convention = norm1000,
     .dialect = Dialect::qwen_computer_use,
     .processor = ImageProcessor{32, 3136, 12'845'056},
     .certainty = vendor,
     .source = "microsoft/fara src/fara/agents/coord_spaces.py and fara15_agent.py"},
    {.ids = "fara7b",
     .name = "Fara-7B",
     .convention = model_pixels_28,
     .dialect = Dialect::qwen_computer_use,
     .processor = qwen2_5_processor,
     .certainty = vendor,
     .source = "microsoft/fara src/fara/fara_agent.py"},
    {.ids = "guiowl1.5",
     .name = "GUI-Owl 1.5",
     .convention = norm1000,
     .processor = qwen3_processor,
     .certainty = inferred,
     .source = "huggingface.co/mPLUG/GUI-Owl-1.5-32B-Instruct (made from Qwen3-VL); "
               "X-PLUG/MobileAgent#208"},
    {.ids = "guiowl",
     .name = "GUI-Owl 1",
     .convention = model_pixels_28,
     .processor = qwen2_5_processor,
     .certainty = code,
     .source = "mm_agents/owl_agent.py of OSWorld (copy in mrwwk/DeskCraft)"},
    {.ids = "maiui",
     .name = "MAI-UI",
     .convention = norm999,
     .processor = qwen3_processor,
     .certainty = vendor,
     .source = "Tongyi-MAI/MAI-UI src/mai_grounding_agent.py (SCALE_FACTOR)"},
    {.ids = "evocuas1",
     .name = "EvoCUA S1",
     .convention = model_pixels_28,
     .dialect = Dialect::qwen_computer_use,
     .certainty = vendor,
     .source = "README of EvoCUA (--coordinate_type qwen25 --resize_factor 28 --prompt_style S1)"},
    {.ids = "evocua", // one public script uses pixels for 8B
     .name = "EvoCUA",
     .convention = norm999,
     .dialect = Dialect::qwen_computer_use,
     .certainty = code,
     .varies = true,
     .source = "bantianyue/EvoCUA mm_agents/evocua/evocua_agent.py"},
    {.ids = "osatlas",
     .name = "OS-Atlas",
     .convention = norm1000,
     .processor = qwen2_5_processor,
     .certainty = code,
     .source = "the evaluation of AutoGUI v2 (utils.eval_utils.autoguiv2): boxes in 1/1000"},
    {.ids = "uground",
     .name = "UGround",
     .convention = norm1000,
     .processor = ImageProcessor{28, 3136, 1'806'336},
     .certainty = inferred, // from Qwen2-VL
     .source = "preprocessor_config.json of huggingface.co/osunlp/UGround-V1-72B"},
    {.ids = "aguvis",
     .name = "Aguvis",
     .convention = unit,
     .dialect = Dialect::pyautogui,
     .processor = qwen2_5_processor,
     .certainty = vendor,
     .source = "xlang-ai/aguvis#23 (an author)"},
    {.ids = "showui",
     .name = "ShowUI",
     .convention = unit,
     .processor = ImageProcessor{28, 200'704, 1'053'696},
     .certainty = vendor,
     .source = "huggingface.co/spaces/showlab/ShowUI app.py"},
    {.ids = "agenticgui",
     .name = "SmolVLM2 Agentic-GUI",
     .convention = unit,
     .certainty = code,
     .source =
         "changelog of OpenAdapt; huggingface.co/smolagents/SmolVLM2-2.2B-Instruct-Agentic-GUI"},
    {.ids = "infigui|guir1|guig2|scalecua",
     .name = "GUI models made from Qwen2.5-VL",
     .convention = model_pixels_28,
     .processor = qwen2_5_processor,
     .certainty = code, // GUI-G2 and ScaleCUA: inferred
     .source = "ritzz-ai/GUI-R1#5; the evaluation of AutoGUI v2 (InfiGUI-G1, GUI-R1)"},
    {.ids = "gelab|stepgui|step3vl",
     .name = "Step-GUI",
     .convention = norm1000,
     .certainty = inferred,
     .varies = true,
     .source = "the evaluation of AutoGUI v2 (extract_step3_bounding_box): boxes in 1/1000"},
    {.ids = "uimate",
     .name = "UI-Mate",
     .convention = norm1000,
     .processor = qwen3_processor,
     .certainty = inferred,
     .source = "featherless.ai/models/tencent/UI-Mate-9B (made from Qwen3.5-9B)"},
    {.ids = "autoglm",
     .name = "AutoGLM",
     .convention = norm999,
     .certainty = vendor,
     .source = "zai-org/Open-AutoGLM phone_agent/config/prompts.py"},

    // --- General models --------------------------------------------------------------------------
    {.ids = "qwen2.5vl|qwen25vl",
     .name = "Qwen2.5-VL",
     .convention = model_pixels_28,
     .processor = qwen2_5_processor,
     .certainty = vendor,
     .source = "QwenLM/Qwen3-VL#676 (an author), #866, #1161"},
    {.ids = "qwen2.5omni",
     .name = "Qwen2.5-Omni",
     .convention = model_pixels_28,
     .processor = qwen2_5_processor,
     .certainty = inferred,
     .source = "QwenLM/Qwen2.5-Omni#236, #392 (the image encoder of Qwen2.5-VL)"},
    {.ids = "qwen3vl",
     .name = "Qwen3-VL",
     .convention = norm1000,
     .processor = qwen3_processor,
     .certainty = vendor,
     .source = "QwenLM/Qwen3-VL cookbooks/2d_grounding.ipynb; QwenLM/Qwen3-VL#1741"},
    {.ids = "qwen3omni",
     .name = "Qwen3-Omni",
     .convention = norm1000,
     .certainty = unverified,
     .source = "no statement found; as Qwen3-VL"},
    {.ids = "qwen2vl",
     .name = "Qwen2-VL",
     .convention = norm1000,
     .processor = qwen2_5_processor,
     .certainty = vendor,
     .source = "QwenLM/Qwen3-VL#866 (an author)"},
    {.ids = "qwen3.5|qwen3.6|qwen3.8",
     .name = "Qwen3.5 and later",
     .convention = norm1000, // numbers above 1000 occur
     .processor = qwen3_processor,
     .certainty = vendor,
     .source = "QwenLM/Qwen3.8-Flash-Next#4; microsoft/fara src/fara/agents/coord_spaces.py"},
    {.ids = "internvl",
     .name = "InternVL",
     .convention = norm1000,
     .certainty = vendor,
     .varies = true, // 0 to 1 was seen under a prompt that asks for pixels
     .source = "internvl.readthedocs.io chat_data_format (OpenGVLab/InternVL#844); "
               "simular-ai/Agent-S#159"},
    {.ids = "glm4.1v|glm4.5v|glm4.6v",
     .name = "GLM-V",
     .convention = norm999,
     .dialect = Dialect::glm, // of its prompt for desktops; it calls tools, too
     .certainty = vendor,
     .source = "zai-org/GLM-V#25, #114; trycua/cua libs/python/agent/agent/loops/glm45v.py"},
    {.ids = "kimik2.", // K2 without a number only reads text
     .name = "Kimi K2.5 and later",
     .convention = unit,
     .certainty = code,
     .varies = true,
     .source = "mm_agents/kimi/kimi_agent.py of OSWorld (copy in mrwwk/DeskCraft); "
               "web-infra-dev/midscene#2743"},
    {.ids = "kimivl",
     .name = "Kimi-VL",
     .convention = unit,
     .certainty = code,
     .varies = true,
     .source = "MoonshotAI/Kimi-VL#56"},
    {.ids = "gemini+computeruse",
     .name = "Gemini computer use",
     .convention = norm1000,
     .certainty = vendor,
     .source = "ai.google.dev/gemini-api/docs/computer-use; trycua/cua "
               "libs/python/agent/agent/loops/gemini.py"},
    {.ids = "gemini", // arguments named x and y of a tool: norm1000
     .name = "Gemini",
     .convention = norm1000_yx,
     .certainty = vendor,
     .source = "docs.cloud.google.com, Vertex AI, bounding box detection; simular-ai/Agent-S#91"},
    {.ids = "gemma4",
     .name = "Gemma 4",
     .convention = norm1000_yx,
     .certainty = inferred,
     .varies = true,
     .source = "ai.google.dev/gemma/docs/capabilities/vision (object detection, without the form)"},
    {.ids = "gemma3",
     .name = "Gemma 3",
     .convention = norm1000_yx,
     .certainty = inferred,
     .varies = true, // not trained for detection
     .source =
         "huggingface.co/google/gemma-3-4b-it discussion 38; ariG23498/gemma3-object-detection#6"},
    {.ids = "claude",
     .name = "Claude",
     .convention = image_pixels,
     .certainty = vendor,
     .source = "platform.claude.com documentation, vision-coordinates"},
    {.ids = "gptoss",
     .name = "GPT-OSS",
     .grounds = false, // text only
     .certainty = vendor,
     .source = "huggingface.co/openai/gpt-oss-20b"},
    {.ids = "computerusepreview", // made for the tool `computer`
     .name = "OpenAI computer use",
     .convention = image_pixels,
     .dialect = Dialect::openai_computer,
     .certainty = vendor,
     .source = "OpenAI documentation, model computer-use-preview"},
    {.ids = "gpt4|gpt5",
     .name = "GPT",
     .convention = image_pixels,
     .certainty = vendor,
     .source = "OpenAI documentation, images-vision (detail `original` for clicks); "
               "web-infra-dev/midscene packages/core/src/ai-model/models/gpt.ts"},
    {.ids = "molmopoint",
     .name = "MolmoPoint",
     .grounds = false, // points are special tokens, not text
     .certainty = vendor,
     .source = "README of huggingface.co/allenai/MolmoPoint-8B"},
    {.ids = "molmo2",
     .name = "Molmo 2",
     .convention = norm1000,
     .certainty = vendor,
     .source = "model card of huggingface.co/allenai/Molmo2-8B"},
    {.ids = "molmo",
     .name = "Molmo",
     .convention = percent,
     .certainty = vendor,
     .source = "huggingface.co/allenai/Molmo-7B-O-0924 discussion 1"},
    {.ids = "moondream",
     .name = "Moondream",
     .convention = unit,
     .certainty = vendor,
     .source = "moondream-client Point::Coordinate (rubydoc.info); ollama/ollama#13594"},
    {.ids = "deepseekvl2",
     .name = "DeepSeek-VL2",
     .convention = norm999,
     .certainty = vendor,
     .source = "deepseek-ai/DeepSeek-VL2#100"},
    {.ids = "minicpmv",
     .name = "MiniCPM-V",
     .convention = norm1000,
     .certainty = vendor,
     .varies = true,
     .source = "OpenBMB/MiniCPM-V#982, #1024"},
    {.ids = "ernie4.5vl",
     .name = "ERNIE-4.5-VL",
     .convention = norm1000, // of the Thinking models; earlier ones do not ground
     .certainty = vendor,
     .varies = true,
     .source = "PaddlePaddle/ERNIE#1364, #1307"},
    {.ids = "mimov2.5",
     .name = "MiMo V2.5",
     .convention = norm1000,
     .certainty = inferred,
     .varies = true,
     .source = "web-infra-dev/midscene packages/core/src/ai-model/models/mimo.ts (its default)"},
    {.ids = "phi4multimodal",
     .name = "Phi-4-multimodal",
     .convention = unit,
     .certainty = unverified,
     .varies = true,
     .source = "no statement found"},
    {.ids = "mistrallarge4",
     .name = "Mistral Large 4",
     .certainty = vendor, // that it grounds; the scale was not found
     .source = "docs.mistral.ai cookbook, BBox and Object Detection"},
    {.ids = "pixtral|mistralsmall|ministral",
     .name = "Mistral of 2024 and 2025",
     .grounds = false,
     .certainty = inferred,
     .source = "no statement of a convention found"},
    {.ids = "llama3.2+vision|llama4|llava",
     .name = "Llama and LLaVA",
     .grounds = false,
     .certainty = inferred,
     .source =
         "haotian-liu/LLaVA#606, #863 (0 to 1 of an image padded to a square, a side effect)"},
    {.ids = "smolvlm|nemotron+vl",
     .name = "SmolVLM and Nemotron VL",
     .grounds = false,
     .certainty = inferred,
     .source = "no statement of a convention found"},
};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

} // namespace

std::string normalized_model_id(std::string_view model_id) {
    constexpr std::string_view separators = "/\\";
    constexpr std::string_view suffix = ".gguf";
    const auto end = model_id.find_last_not_of("/\\ \t\r\n"); // folders of models end with a slash
    model_id = end == std::string_view::npos ? "" : model_id.substr(0, end + 1);
    if (const auto last = model_id.find_last_of(separators); last != std::string_view::npos)
        model_id.remove_prefix(last + 1);
    std::string id(model_id);
    std::ranges::transform(id, id.begin(), lower);
    if (id.ends_with(suffix)) id.resize(id.size() - suffix.size());
    std::erase_if(id, [](char c) { return c == '-' || c == '_' || c == ' '; });
    return id;
}

bool contains_parts(std::string_view normalized_id, std::string_view alternative) {
    for (;;) {
        const auto end = alternative.find('+');
        if (normalized_id.find(alternative.substr(0, end)) == std::string_view::npos) return false;
        if (end == std::string_view::npos) return true;
        alternative.remove_prefix(end + 1);
    }
}

std::span<const ModelFamily> model_families() { return families; }

std::optional<ModelFamily> model_family(std::string_view model_id) {
    const std::string id = normalized_model_id(model_id);
    const auto matches = [&id](const ModelFamily& family) {
        return any_alternative(family.ids, [&id](std::string_view alternative) {
            return contains_parts(id, alternative);
        });
    };
    const auto found = std::ranges::find_if(families, matches);
    if (found == std::ranges::end(families)) return std::nullopt;
    return *found;
}

} // namespace eyehand::agent
