// Values from whichever of many pipes is ready; see concurrency/select/contract.md.

#include <fcntl.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <barrier>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <system_error>
#include <thread>
#include <vector>

#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"
#include "runfair/recorder.hpp"

namespace {

struct Counts {
    std::uint64_t selects = 0;
};

// Of all iterations.
Counts totals;

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

// A file descriptor that is closed at the end.
struct Descriptor {
    int number;

    explicit Descriptor(int its_number) : number(its_number) {
        if (number < 0)
            fail("descriptor");
    }
    Descriptor(Descriptor&& other) noexcept : number(std::exchange(other.number, -1)) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number >= 0)
            close(number);
    }
};

struct Pipe {
    Descriptor from;
    Descriptor to;

    static Pipe open() {
        std::array<int, 2> ends{-1, -1};
        if (pipe2(ends.data(), O_CLOEXEC) != 0)
            fail("pipe");
        return {Descriptor(ends[0]), Descriptor(ends[1])};
    }
};

struct Select {
    static constexpr const char* name = "select";
    static constexpr const char* tier = "standard";
    static constexpr std::uint64_t max_threads = 1'001;

    std::uint32_t seed;
    std::uint32_t channels;
    std::uint64_t values;
    runfair::Recorder selects;

    static Select load(const runfair::Options& options) {
        return {static_cast<std::uint32_t>(options.number("seed")),
                static_cast<std::uint32_t>(options.number("channels")), options.number("values"),
                options.recorder("selects")};
    }

    std::uint32_t prepare() const { return 0; }

    std::uint32_t run(std::uint32_t& sum) const {
        std::vector<Pipe> pipes;
        for (std::uint32_t c = 0; c < channels; ++c)
            pipes.push_back(Pipe::open());
        const Descriptor epoll = selection(pipes);
        std::uint64_t started_ns = 0;
        // Of the senders and the selector: the last that begins starts the clock.
        std::barrier beginning(static_cast<std::ptrdiff_t>(channels) + 1,
                               [&]() noexcept { started_ns = runfair::clock_ns(CLOCK_MONOTONIC); });
        std::vector<std::jthread> senders;
        for (std::uint32_t c = 0; c < channels; ++c) {
            senders.emplace_back([&, c] {
                beginning.arrive_and_wait();
                send(c, pipes[c].to.number);
            });
        }
        beginning.arrive_and_wait();
        sum = received(epoll);
        senders.clear();  // joins them
        const std::uint64_t elapsed_ns = runfair::clock_ns(CLOCK_MONOTONIC) - started_ns;
        selects.record(static_cast<std::int64_t>(elapsed_ns * 1'000 / (channels * values)));
        return sum;
    }

    void send(std::uint32_t c, int to) const {
        std::uint32_t x = seed + c;
        for (std::uint64_t k = 0; k < values; ++k) {
            x = x * 1'664'525 + c;
            if (write(to, &x, sizeof x) != sizeof x)
                fail("write");
        }
    }

    static Descriptor selection(const std::vector<Pipe>& pipes) {
        Descriptor epoll(epoll_create1(EPOLL_CLOEXEC));
        for (const Pipe& pipe : pipes) {
            epoll_event event{};
            event.events = EPOLLIN;
            event.data.fd = pipe.from.number;
            if (epoll_ctl(epoll.number, EPOLL_CTL_ADD, pipe.from.number, &event) != 0)
                fail("epoll_ctl");
        }
        return epoll;
    }

    std::uint32_t received(const Descriptor& epoll) const {
        std::uint32_t sum = 0;
        std::array<epoll_event, 64> events{};
        for (std::uint64_t left = channels * values; left > 0;) {
            const int ready = epoll_wait(epoll.number, events.data(), events.size(), -1);
            if (ready < 1)
                fail("epoll_wait");
            left -= static_cast<std::uint64_t>(ready);
            for (const epoll_event& event : std::span(events).first(ready)) {
                std::uint32_t x = 0;
                if (read(event.data.fd, &x, sizeof x) != sizeof x)
                    fail("read");
                sum += x;
                totals.selects++;  // tick
            }
        }
        return sum;
    }

    std::uint64_t digest(std::uint32_t sum) const {
        runfair::Fnv1a hash;
        char line[10];
        std::snprintf(line, sizeof line, "%08x\n", sum);
        hash.add(line);
        return hash.value;
    }

    static runfair::Counters counters() { return {{"selects", totals.selects}}; }
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<Select>(argc, argv);
}
