// The listening socket, whose connections go to the workers in turn.

#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "runfair/options.hpp"
#include "worker.hpp"

namespace web {

class Server {
public:
    using Workers = std::vector<std::unique_ptr<Worker>>;

    // Listens in the event loop of the first worker. Throws runfair::UserError.
    Server(Workers& workers, const runfair::Options& options);

    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

private:
    boost::asio::awaitable<void> accept();
    void stop();

    Workers& workers_;
    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::signal_set termination_;
};

}  // namespace web
