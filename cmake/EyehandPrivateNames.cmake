# Boost and fmt inside this project, under names of their own.
#
# The libraries contain Boost.Asio, Boost.Beast, Boost.JSON and fmt. An application that links them may use the same
# libraries, in another version or configuration. Without precautions the linker merges both copies: Asio in an archive
# that is compiled with BOOST_ASIO_SEPARATE_COMPILATION and BOOST_ASIO_NO_DEPRECATED, beside an application that uses
# Asio as headers, crashes the application at -O0; at -O2 its signal_set never fires and error codes no longer compare
# equal.
#
# Therefore macros rename both namespaces, and the names that Boost has outside its namespace, in every source file of
# this project that includes Boost or fmt. No symbol of an archive can then meet a symbol of the application.
# Alternatives that fail:
#   - no separate compilation: inline functions and static data members still merge, now in an unpredictable order;
#   - a partial link with localized symbols: unique symbols stay global, and COFF has no such link;
#   - a version script: works for shared libraries only;
#   - Asio's own inline namespace: exists since Boost 1.91 only, and only in Asio.
#
# The renaming is private: it never reaches the compile commands of an application, which reads public headers that use
# Boost.Describe and Boost.Mp11 (templates without compiled parts) as plain boost::.
#
# tests/linking/check_symbols verifies the archives, tests/consumer the behavior. See docs/linking.md.
include_guard()

add_library(eyehand_private_names INTERFACE)
target_compile_definitions(eyehand_private_names INTERFACE
    boost=eyehand_boost
    fmt=eyehand_fmt
    # Asio declares these functions extern "C", outside its namespace.
    boost_asio_signal_handler=eyehand_asio_signal_handler
    boost_asio_detail_posix_thread_function=eyehand_asio_thread_function
    # A parameter of Boost.Container's operator new, outside its namespace.
    boost_container_new_t=eyehand_boost_container_new_t
    # The preprocessor would expand "boost" in file names that macros compute: #include BOOST_USER_CONFIG and others.
    BOOST_NO_USER_CONFIG
    BOOST_ASIO_DISABLE_BOOST_DATE_TIME
    BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS)
# Boost's global namespaces; most of them hold inline variables and functions that survive at -O0 only.
#   grep -rhoE 'namespace boost_[a-z0-9_]+' /usr/include/boost | sort -u
foreach(name
        asio_execution_bulk_execute_fn asio_execution_connect_fn asio_execution_execute_fn asio_execution_schedule_fn
        asio_execution_set_done_fn asio_execution_set_error_fn asio_execution_set_value_fn asio_execution_start_fn
        asio_execution_submit_fn asio_handler_alloc_helpers asio_handler_cont_helpers asio_handler_invoke_helpers
        asio_prefer_fn asio_query_fn asio_require_concept_fn asio_require_fn
        intrusive_hmfcw move_adl_swap move_member_swap optional_detail swap_impl)
    target_compile_definitions(eyehand_private_names INTERFACE boost_${name}=eyehand_boost_${name})
endforeach()
