#include "modes/unregistered_mode.hpp"

#include "eyehand/agent/profile.hpp"

#include <fmt/format.h>

#include <utility>

namespace eyehand::agent {
namespace {

class UnregisteredMode final : public ModeFactory {
public:
    explicit UnregisteredMode(std::string name) : name_(std::move(name)) {}

    [[nodiscard]] std::string_view name() const override { return name_; }
    // Any log layout must be readable, so that the run can be shown.
    [[nodiscard]] ModeTraits traits() const override { return {.stores_replies = true}; }
    void read(const ProfileReader&, Profile&) const override {} // the members are unknown
    [[nodiscard]] std::unique_ptr<Mode> make(const ModeContext&) const override { refuse(); }
    void check(const Profile&, Source) const override { refuse(); }

private:
    [[noreturn]] void refuse() const {
        throw Error(errc::bad_profile,
                    fmt::format("the mode \"{}\" is not registered: register it (ModeRegistry) to "
                                "run or resume its profiles",
                                name_));
    }
    std::string name_;
};

} // namespace

std::shared_ptr<const ModeFactory> unregistered_mode(const std::string& name) {
    return std::make_shared<UnregisteredMode>(name);
}

bool is_unregistered(const ModeFactory& mode) {
    return dynamic_cast<const UnregisteredMode*>(&mode) != nullptr;
}

} // namespace eyehand::agent
