// The service `payments` on Boost.Beast: benchmarks/services/payments/contract.md.

#include <boost/asio/io_context.hpp>
#include <boost/json/src.hpp>  // Boost.JSON, compiled with the flags of the program
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "../domain/payments.hpp"
#include "application.hpp"
#include "orders.hpp"
#include "runfair/service.hpp"
#include "server.hpp"

namespace {

struct Beast : payments::Description {
    static constexpr std::string_view tier = "beast";
};

void run(const runfair::Options& options, const runfair::Address& address, runfair::Ready ready) {
    const auto data = payments::Payments::read(options);
    const std::size_t connections = payments::connections(options);
    boost::asio::io_context context(static_cast<int>(options.threads));
    std::optional<payments::Orders> orders;
    if (const auto& database = options.parameters.at("database"); !database.empty())
        orders.emplace(context.get_executor(), database, connections);
    const payments::Application application(data, orders ? &*orders : nullptr);
    payments::Server server(context, application, address);
    server.start();
    ready.say(server.port());
    std::vector<std::jthread> others;
    for (std::uint64_t i = 1; i < options.threads; ++i)
        others.emplace_back([&context] { context.run(); });
    context.run();
}

}  // namespace

int main(int argc, char** argv) {
    return runfair::serve<Beast>(argc, argv, run);
}
