// The web tests on libh2o: benchmarks/web/techempower/contract.md.

#include <boost/json/src.hpp>  // Boost.JSON, compiled with the flags of the program
#include <csignal>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "../domain/database.hpp"
#include "application.hpp"
#include "listener.hpp"
#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "server.hpp"

namespace {

struct H2o {
    static constexpr const char* name = "techempower";
    static constexpr const char* tier = "h2o";
    static constexpr std::uint64_t max_threads = std::numeric_limits<std::uint64_t>::max();

    // An event loop and a listening socket for each thread.
    static runfair::Counters serve(const runfair::Options& options, const runfair::Ready& ready) {
        sigset_t termination;
        sigemptyset(&termination);
        sigaddset(&termination, SIGTERM);
        pthread_sigmask(SIG_BLOCK, &termination, nullptr);
        // libh2o writes to connections that clients may have closed.
        std::signal(SIGPIPE, SIG_IGN);

        const auto url = web::database_url(options);
        web::Application application(url.has_value());
        std::vector<std::unique_ptr<web::Server>> servers;
        auto port = static_cast<std::uint16_t>(options.number("port"));
        for (std::uint64_t i = 0; i < options.number("threads"); ++i) {
            const int listener = web::listening_socket(options, port);
            port = web::port_of(listener);
            servers.push_back(std::make_unique<web::Server>(application, listener, termination, url,
                                                            web::share(options, i)));
        }
        ready(port);
        std::vector<std::jthread> others;
        for (std::size_t i = 1; i < servers.size(); ++i)
            others.emplace_back([&server = *servers[i]] { server.run(); });
        servers.front()->run();
        return {};
    }
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<H2o>(argc, argv);
}
