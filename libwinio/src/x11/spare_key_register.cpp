#include "x11/spare_key_register.hpp"

#include "x11/properties.hpp"

#include <algorithm>
#include <random>

namespace eyehand::winio::x11 {
namespace {

constexpr std::size_t values_an_entry = 4; // keycode, keysym, window, number

void put(const Connection& connection, xcb_window_t window, xcb_atom_t property, std::uint8_t mode,
         const std::vector<std::uint32_t>& values) {
    xcb_change_property(connection.get(), mode, window, property, XCB_ATOM_CARDINAL, 32,
                        static_cast<std::uint32_t>(values.size()), values.data());
}

} // namespace

SpareKeyRegister::SpareKeyRegister(Connection& connection)
    : connection_(connection), property_(connection.atom("_EYEHAND_SPARE_KEYS")),
      number_(std::random_device{}()) {
    put(connection, connection.window(), property_, XCB_PROP_MODE_REPLACE, {number_});
}

std::vector<Binding> SpareKeyRegister::orphans() const {
    std::vector<Binding> found;
    for (const Entry& entry : entries())
        if (!is_own(entry) && !is_of_living(entry)) found.push_back(entry.binding);
    return found;
}

void SpareKeyRegister::add(const std::vector<Binding>& bindings) {
    std::vector<std::uint32_t> values;
    for (const Binding& binding : bindings) {
        if (binding.keysym == no_keysym || std::ranges::find(added_, binding) != added_.end())
            continue;
        added_.push_back(binding);
        values.insert(values.end(), {binding.key, binding.keysym, connection_.window(), number_});
    }
    if (!values.empty())
        put(connection_, connection_.root(), property_, XCB_PROP_MODE_APPEND, values);
}

// If two programs do this at the same time, an entry may be lost. A key may then stay bound if its
// program is killed.
void SpareKeyRegister::clear() {
    const std::vector<Entry> before = entries();
    std::vector<std::uint32_t> values;
    for (const auto& [binding, window, number] : before)
        if (const Entry entry{binding, window, number}; !is_own(entry) && is_of_living(entry))
            values.insert(values.end(), {binding.key, binding.keysym, window, number});
    added_.clear();
    if (values.size() == before.size() * values_an_entry) return;
    if (values.empty())
        xcb_delete_property(connection_.get(), connection_.root(), property_);
    else
        put(connection_, connection_.root(), property_, XCB_PROP_MODE_REPLACE, values);
}

std::vector<SpareKeyRegister::Entry> SpareKeyRegister::entries() const {
    const auto values = PropertyRequest(connection_, connection_.root(), property_).values();
    std::vector<Entry> entries;
    for (std::size_t at = 0; at + values_an_entry <= values.size(); at += values_an_entry)
        entries.push_back(
            {{static_cast<Keycode>(values[at]), values[at + 1]}, values[at + 2], values[at + 3]});
    return entries;
}

bool SpareKeyRegister::is_own(const Entry& entry) const {
    return entry.window == connection_.window() && entry.number == number_;
}

bool SpareKeyRegister::is_of_living(const Entry& entry) const {
    return PropertyRequest(connection_, entry.window, property_).values() ==
           std::vector{entry.number};
}

} // namespace eyehand::winio::x11
