// Static files by Boost.Beast; see langbench/file-server/contract.md.

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <string_view>
#include <thread>
#include <vector>

#include "../cpp/description.hpp"
#include "../cpp/server.hpp"
#include "runfair/service.hpp"
#include "server.hpp"

namespace {

struct Library : file_server::Description {
    static constexpr std::string_view tier = "library";
};

void run(const runfair::Options& options, const runfair::Address& address, runfair::Ready ready) {
    file_server::allow_open_files();
    boost::asio::io_context context(static_cast<int>(options.threads));
    file_server::BeastServer server(context, file_server::load(options), address);
    server.start();
    ready.say(server.port());
    std::vector<std::jthread> others;
    for (std::uint64_t i = 1; i < options.threads; ++i)
        others.emplace_back([&context] { context.run(); });
    context.run();
}

}  // namespace

int main(int argc, char** argv) {
    return runfair::serve<Library>(argc, argv, run);
}
