// The floor of the web tests: benchmarks/web/techempower/contract.md.

#include <csignal>
#include <limits>
#include <thread>
#include <vector>

#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "server.hpp"

namespace {

struct Epoll {
    static constexpr const char* name = "techempower";
    static constexpr const char* tier = "epoll";
    static constexpr std::uint64_t max_threads = std::numeric_limits<std::uint64_t>::max();

    // A loop and a listening socket a thread; the kernel deals out connections.
    static runfair::Counters serve(const runfair::Options& options, const runfair::Ready& ready) {
        sigset_t termination;
        sigemptyset(&termination);
        sigaddset(&termination, SIGTERM);
        pthread_sigmask(SIG_BLOCK, &termination, nullptr);
        web::Listener first(options, 0);
        const std::uint16_t port = first.port();
        std::vector<std::jthread> others;
        for (std::uint64_t i = 1; i < options.number("threads"); ++i)
            others.emplace_back([listener = web::Listener(options, port), &termination] {
                web::Server(listener, termination).run();
            });
        ready(port);
        web::Server(first, termination).run();
        return {};
    }
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<Epoll>(argc, argv);
}
