// The web tests on Boost.Beast: benchmarks/web/techempower/contract.md.

#include <boost/json/src.hpp>  // Boost.JSON, compiled with the flags of the program
#include <cstdint>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "../domain/database.hpp"
#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "server.hpp"
#include "worker.hpp"

namespace {

struct Beast {
    static constexpr const char* name = "techempower";
    static constexpr const char* tier = "beast";
    static constexpr std::uint64_t max_threads = std::numeric_limits<std::uint64_t>::max();

    static runfair::Counters serve(const runfair::Options& options, const runfair::Ready& ready) {
        const auto url = web::database_url(options);
        web::Server::Workers workers;
        for (std::uint64_t i = 0; i < options.number("threads"); ++i)
            workers.push_back(std::make_unique<web::Worker>(url, web::share(options, i)));
        web::Server server(workers, options);
        ready(server.port());
        std::vector<std::jthread> others;
        for (std::size_t i = 1; i < workers.size(); ++i)
            others.emplace_back([&worker = *workers[i]] { worker.run(); });
        workers.front()->run();
        return {};
    }
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<Beast>(argc, argv);
}
