// A program for tests of program tools. Its first argument selects its behavior.
//   echo          copies standard input to standard output
//   say TEXT...   writes each text and a line break
//   much BYTES    writes this number of bytes, and never reads
//   noise BYTES   writes this number of bytes that are not UTF-8
//   variable NAME writes the environment variable of this name
//   fail STATUS   writes to both streams and exits with the status
//   folder        writes the name of its folder
//   crash         ends by abort()
//   hang          never ends
//   hang2 FILE    starts a second process that never ends either; both keep FILE locked. FILE.ready
//                 appears when they do. POSIX only.
//   leave FILE    moves to the group of the process that started it, and never ends. FILE.ready
//                 appears when it has. POSIX only.
//   count         writes how many descriptors it has open. POSIX only.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#else
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#endif

namespace {

[[noreturn]] void hang() {
    std::promise<void> never_kept;
    never_kept.get_future().wait();
    std::abort();
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.empty()) return 2;
    const std::string& how = words.front();
#ifdef _WIN32
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
    _setmode(_fileno(stderr), _O_BINARY);
#endif
    if (how == "echo") {
        const std::string all{std::istreambuf_iterator<char>(std::cin), {}};
        std::cout << all;
    } else if (how == "say") {
        for (std::size_t i = 1; i < words.size(); ++i) std::cout << words[i] << '\n';
    } else if (how == "much") {
        const std::string block(1000, 'x');
        for (long left = std::stol(words.at(1)); left > 0; left -= 1000) std::cout << block;
    } else if (how == "noise") {
        std::cout << std::string(std::stoul(words.at(1)), '\xFF');
    } else if (how == "variable") {
        const char* value = std::getenv(words.at(1).c_str());
        std::cout << (value == nullptr ? "(none)" : value);
    } else if (how == "fail") {
        std::cout << "half of it";
        std::cerr << std::string(5000, '.') << "the disk is full\n";
        return std::stoi(words.at(1));
    } else if (how == "folder") {
        std::cout << std::filesystem::current_path().filename().string();
    } else if (how == "crash") {
        std::abort();
    } else if (how == "hang") {
        hang();
#ifndef _WIN32
    } else if (how == "hang2") {
        // Before the fork: both processes share the lock, which ends with the last of them.
        const int file = open(words.at(1).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (file < 0 || flock(file, LOCK_EX) != 0) return 1;
        if (fork() == 0) {
            close(creat((words.at(1) + ".ready").c_str(), 0600));
            hang();
        }
        hang();
    } else if (how == "leave") {
        if (setpgid(0, getpgid(getppid())) != 0) return 1;
        close(creat((words.at(1) + ".ready").c_str(), 0600));
        hang();
    } else if (how == "count") {
        int open_ones = 0;
        for (int descriptor = 0; descriptor < 1024; ++descriptor)
            open_ones += fcntl(descriptor, F_GETFD) >= 0 ? 1 : 0;
        std::cout << open_ones;
#endif
    } else {
        return 2;
    }
    return std::cout.flush() ? 0 : 1;
}
