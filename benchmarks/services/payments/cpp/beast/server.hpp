// Connections, each a coroutine.

#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>

#include "application.hpp"
#include "runfair/options.hpp"

namespace payments {

class Server {
public:
    // Listens; throws runfair::UserError.
    Server(boost::asio::io_context& context, const Application& application,
           const runfair::Options& options);

    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

    // Has the context stop after SIGTERM, behind the answers under way.
    void start();

private:
    boost::asio::awaitable<void> accept();
    boost::asio::awaitable<void> converse(boost::asio::ip::tcp::socket socket);
    void stop();
    void answered();

    boost::asio::io_context& context_;
    const Application& application_;
    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::signal_set termination_;
    boost::asio::steady_timer stop_limit_;
    std::atomic<int> under_way_{0};
    std::atomic<bool> stopping_{false};
};

}  // namespace payments
