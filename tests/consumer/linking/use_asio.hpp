// Uses of the application's own Boost.Asio.
#pragma once

#include "check.hpp"

#include <boost/asio.hpp>
#include <boost/system/system_error.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <string_view>
#include <thread>

inline void read_until_eof() {
    namespace asio = boost::asio;
    using asio::ip::tcp;
    asio::io_context context;
    tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
    tcp::socket writer(context);
    tcp::socket reader(context);
    std::array<char, 64> bytes{};
    boost::system::error_code ended;
    std::size_t count = 0;
    acceptor.async_accept(writer, [&](boost::system::error_code) {
        asio::async_write(writer, asio::buffer(std::string_view("hello")),
                          [&](boost::system::error_code, std::size_t) { writer.close(); });
    });
    reader.async_connect(acceptor.local_endpoint(), [&](boost::system::error_code) {
        asio::async_read(reader, asio::buffer(bytes),
                         [&](boost::system::error_code ec, std::size_t n) {
                             ended = ec;
                             count = n;
                         });
    });
    context.run_for(std::chrono::seconds(20));
    check(count == 5 && ended == boost::asio::error::eof, "Asio: async_read ends with error::eof");
}

#ifdef _WIN32
inline constexpr int test_signal = SIGTERM;
#else
inline constexpr int test_signal = SIGUSR1;
#endif

inline void receive_a_signal() {
    boost::asio::io_context context;
    boost::asio::signal_set signals(context, test_signal);
    int received = 0;
    signals.async_wait([&](boost::system::error_code ec, int signal) {
        if (!ec) received = signal;
    });
    std::raise(test_signal);
    context.run_for(std::chrono::seconds(20));
    check(received == test_signal, "Asio: a signal_set receives a raised signal");
}

inline void run_in_threads() {
    boost::asio::thread_pool pool(4);
    std::atomic<int> done = 0;
    for (int i = 0; i < 1000; ++i) boost::asio::post(pool, [&] { ++done; });
    pool.join();
    check(done == 1000, "Asio: a thread pool runs posted functions");
}

inline void catch_by_type() {
    boost::asio::io_context context;
    boost::asio::ip::tcp::socket socket(context);
    bool caught = false;
    try {
        socket.connect({boost::asio::ip::address_v4::loopback(), 1});
    } catch (const boost::system::system_error& error) {
        caught = error.code() == boost::asio::error::connection_refused;
    }
    check(caught, "Asio: a refused connection throws boost::system::system_error");
}

inline void use_asio() {
    read_until_eof();
    receive_a_signal();
    run_in_threads();
    catch_by_type();
}
