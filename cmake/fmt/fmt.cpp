// fmt, compiled once, under a private name: the counterpart of fmt's own src/format.cc. CMakeLists.txt lists the versions
// whose explicit instantiations these are.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;

template locale_ref::locale_ref(const std::locale&);
template auto locale_ref::get<std::locale>() const -> std::locale;

template auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template auto thousands_sep_impl(locale_ref) -> thousands_sep_result<wchar_t>;
template auto decimal_point_impl(locale_ref) -> char;
template auto decimal_point_impl(locale_ref) -> wchar_t;

#if FMT_VERSION / 10000 == 10
template void vformat_to(buffer<char>&, string_view, typename vformat_args<>::type, locale_ref);
#endif

} // namespace detail
FMT_END_NAMESPACE
