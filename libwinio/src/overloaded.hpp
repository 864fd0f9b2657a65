// Combines lambdas, one for each alternative, for std::visit.
#pragma once

namespace eyehand::winio {

template <typename... Cases>
struct overloaded : Cases... {
    using Cases::operator()...;
};
template <typename... Cases>
overloaded(Cases...) -> overloaded<Cases...>;

} // namespace eyehand::winio
