// Static files by Boost.Beast; see langbench/file-server/contract.md.

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <thread>
#include <vector>

#include "../cpp/server.hpp"
#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "server.hpp"

namespace {

struct Library : file_server::Description {
    static constexpr const char* tier = "library";

    // The library does the work, so nothing is counted.
    static runfair::Counters serve(const runfair::Options& options, const runfair::Ready& ready) {
        const auto threads = options.number("threads");
        file_server::allow_open_files();
        boost::asio::io_context context(static_cast<int>(threads));
        file_server::BeastServer server(context, file_server::load(options), options);
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
    return runfair::main<Library>(argc, argv);
}
