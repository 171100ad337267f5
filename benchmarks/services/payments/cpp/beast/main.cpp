// The service `payments` on Boost.Beast: benchmarks/services/payments/contract.md.

#include <boost/asio/io_context.hpp>
#include <boost/json/src.hpp>  // Boost.JSON, compiled with the flags of the program
#include <cstdlib>
#include <optional>
#include <thread>
#include <vector>

#include "../domain/payments.hpp"
#include "application.hpp"
#include "orders.hpp"
#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "server.hpp"

namespace {

struct Beast : payments::Description {
    static constexpr const char* tier = "beast";

    static runfair::Counters serve(const runfair::Options& options, const runfair::Ready& ready) {
        const auto threads = options.number("threads");
        const auto data = payments::Payments::read(options);
        boost::asio::io_context context(static_cast<int>(threads));
        std::optional<payments::Orders> orders;
        if (const char* database = std::getenv("DATABASE_URL"))
            orders.emplace(context.get_executor(), database, options.number("connections"));
        const payments::Application application(data, orders ? &*orders : nullptr);
        payments::Server server(context, application, options);
        server.start();
        ready(server.port());
        std::vector<std::jthread> others;
        for (std::uint64_t i = 1; i < threads; ++i)
            others.emplace_back([&context] { context.run(); });
        context.run();
        return {};
    }
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<Beast>(argc, argv);
}
