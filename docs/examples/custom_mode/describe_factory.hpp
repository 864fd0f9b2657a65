// The factory of the mode: its name and its settings.
#pragma once

#include "describe_mode.hpp"

class DescribeFactory final : public agent::ModeFactory {
public:
    std::string_view name() const override { return "describe"; }

    void read(const agent::ProfileReader& reader, agent::Profile& profile) const override {
        agent::ModeFactory::read(reader, profile); // the system prompt
        DescribeSettings settings;
        if (const auto section = reader.find("describe"))
            if (const auto looks = section->find("looks"))
                settings.looks = static_cast<int>(looks->number());
        if (settings.looks < 1) reader.refuse("describe", "must have at least one look");
        profile.mode_settings = settings;
    }
    std::string write(const agent::Profile& profile) const override {
        const int looks = profile.settings<DescribeSettings>()->looks;
        return "{\"looks\": " + std::to_string(looks) + "}";
    }
    std::unique_ptr<agent::Mode> make(const agent::ModeContext& context) const override {
        return std::make_unique<DescribeMode>(context.profile, context.task);
    }
};
