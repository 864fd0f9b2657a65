#include "worker_pool.hpp"

#include "catch.hpp"
#include "latch.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>

using namespace eyehand::winio;

namespace {

std::vector<int> numbers(int count) {
    std::vector<int> items(static_cast<std::size_t>(count));
    std::iota(items.begin(), items.end(), 0);
    return items;
}

std::atomic<int> ended_threads{0};

struct NotesTheEndOfItsThread {
    ~NotesTheEndOfItsThread() { ++ended_threads; }
    bool used = false;
};

} // namespace

TEST_CASE("a pool of threads works on every item exactly once") {
    constexpr int count = 1000;
    WorkerPool pool;
    for (const int threads : {1, 2, 4}) {
        std::vector<std::atomic<int>> times(count);
        pool.run(numbers(count), threads,
                 [&](int item) { ++times[static_cast<std::size_t>(item)]; });
        CHECK(std::ranges::all_of(times, [](const auto& n) { return n == 1; }));
    }
}

TEST_CASE("a pool of threads does nothing without items") {
    WorkerPool pool;
    CHECK_NOTHROW(pool.run({}, 2, [](int) { throw std::runtime_error("there is no item"); }));
}

TEST_CASE("two threads of a pool work at the same time") {
    WorkerPool pool;
    test::Latch meeting(2); // hangs if one thread must do both items
    std::atomic<int> done{0};
    pool.run(numbers(2), 2, [&](int) {
        meeting.arrive_and_wait();
        ++done;
    });
    CHECK(done == 2);
}

TEST_CASE("a pool starts no item after an exception in its only thread, and rethrows it") {
    WorkerPool pool;
    std::vector<int> begun;
    const auto fail_at_two = [&](int item) {
        begun.push_back(item);
        if (item == 2) throw std::runtime_error("two");
    };
    CHECK_THROWS_WITH(pool.run(numbers(100), 1, fail_at_two), "two");
    CHECK(begun == numbers(3));
}

TEST_CASE("a pool starts no item after exceptions in two threads, and rethrows one of them") {
    WorkerPool pool;
    test::Latch meeting(2); // both items start before either fails
    std::atomic<int> begun{0};
    const auto fail = [&](int item) {
        ++begun;
        meeting.arrive_and_wait();
        throw std::runtime_error(std::to_string(item));
    };
    CHECK_THROWS_WITH(pool.run(numbers(100), 2, fail),
                      Catch::Matchers::Equals("0") || Catch::Matchers::Equals("1"));
    CHECK(begun == 2);
}

TEST_CASE("an exception in a helping thread reaches the owner of the pool") {
    WorkerPool pool;
    test::Latch meeting(2);
    const auto owner = std::this_thread::get_id();
    const auto fail_in_helper = [&](int) {
        meeting.arrive_and_wait();
        if (std::this_thread::get_id() != owner) throw std::runtime_error("of the helper");
    };
    CHECK_THROWS_WITH(pool.run(numbers(2), 2, fail_in_helper), "of the helper");
}

TEST_CASE("a pool of threads works after an exception") {
    WorkerPool pool;
    CHECK_THROWS(pool.run(numbers(10), 2, [](int) { throw std::runtime_error("now"); }));
    std::atomic<int> sum{0};
    pool.run(numbers(10), 2, [&](int item) { sum += item; });
    CHECK(sum == 45);
}

TEST_CASE("one thread of a pool works alone and in order") {
    WorkerPool pool;
    test::Latch meeting(2);
    pool.run(numbers(2), 2, [&](int) { meeting.arrive_and_wait(); }); // now there is a helper
    const auto owner = std::this_thread::get_id();
    std::vector<int> done;
    bool alone = true;
    pool.run(numbers(100), 1, [&](int item) {
        alone = alone && std::this_thread::get_id() == owner;
        done.push_back(item);
    });
    CHECK(alone);
    CHECK(done == numbers(100));
}

TEST_CASE("an idle thread of a pool ends with the pool") {
    ended_threads = 0;
    {
        WorkerPool pool;
        test::Latch meeting(2);
        pool.run(numbers(2), 2, [&](int) {
            thread_local NotesTheEndOfItsThread here;
            here.used = true;
            meeting.arrive_and_wait();
        });
        CHECK(ended_threads == 0);
    }
    CHECK(ended_threads == 1);
}
