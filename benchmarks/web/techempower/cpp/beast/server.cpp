#include "server.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <utility>

#include "runfair/execution.hpp"

namespace web {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

// Before another try to accept, so that the tries do not keep the processor.
constexpr std::chrono::milliseconds accept_pause{100};

tcp::acceptor listening(asio::io_context& context, const runfair::Options& options) {
    try {
        const auto found =
            tcp::resolver(context).resolve(options.text("host"), options.text("port"));
        return {context, *found.begin()};
    } catch (const boost::system::system_error& error) {
        throw runfair::cannot_listen(options, error.code().message());
    }
}

}  // namespace

Server::Server(Workers& workers, const runfair::Options& options)
    : workers_(workers),
      acceptor_(listening(workers.front()->context(), options)),
      termination_(workers.front()->context(), SIGTERM) {
    termination_.async_wait([this](error_code, int) { stop(); });
    asio::co_spawn(acceptor_.get_executor(), accept(), asio::detached);
}

// As in Asio's example "HTTP Server 2", which has an io_context for each thread.
asio::awaitable<void> Server::accept() {
    for (std::size_t next = 0; acceptor_.is_open(); next = (next + 1) % workers_.size()) {
        Worker& worker = *workers_[next];
        error_code error;
        tcp::socket socket = co_await acceptor_.async_accept(
            worker.context(), asio::redirect_error(asio::use_awaitable, error));
        if (!error) {
            worker.serve(std::move(socket));
        } else if (acceptor_.is_open()) {  // no descriptor is free; the client waits in the kernel
            asio::steady_timer pause(acceptor_.get_executor(), accept_pause);
            co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
        }
    }
}

void Server::stop() {
    acceptor_.close();
    for (const auto& worker : workers_)
        worker->stop();
}

}  // namespace web
