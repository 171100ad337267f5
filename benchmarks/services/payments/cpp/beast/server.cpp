#include "server.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <chrono>
#include <csignal>
#include <utility>

#include "runfair/execution.hpp"

namespace payments {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

// As behind any load balancer, longer than a client keeps an idle connection.
constexpr std::chrono::seconds keep_alive{75};
// The contract's 5 s, less what ending the process takes.
constexpr std::chrono::seconds stop_limit{4};
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

Server::Server(asio::io_context& context, const Application& application,
               const runfair::Options& options)
    : context_(context),
      application_(application),
      acceptor_(listening(context, options)),
      termination_(context, SIGTERM),
      stop_limit_(context) {}

void Server::start() {
    termination_.async_wait([this](error_code, int) { stop(); });
    asio::co_spawn(context_, accept(), asio::detached);
}

asio::awaitable<void> Server::accept() {
    while (true) {
        error_code error;
        // Connections may run at the same time, each on one thread at a time.
        tcp::socket socket = co_await acceptor_.async_accept(
            asio::make_strand(context_), asio::redirect_error(asio::use_awaitable, error));
        if (stopping_)
            co_return;
        if (error) {  // no descriptor is free; the client waits in the kernel's queue
            asio::steady_timer pause(context_, accept_pause);
            co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
            continue;
        }
        const auto executor = socket.get_executor();
        asio::co_spawn(executor, converse(std::move(socket)), asio::detached);
    }
}

asio::awaitable<void> Server::converse(tcp::socket socket) {
    error_code error;
    socket.set_option(tcp::no_delay(true), error);
    beast::tcp_stream stream(std::move(socket));
    beast::flat_buffer buffer;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    while (!stopping_) {
        stream.expires_after(keep_alive);
        Request request;
        co_await http::async_read(stream, buffer, request, token);
        if (error)
            break;  // the client has left, or what it sends is no HTTP
        under_way_ += 1;
        Response response = co_await application_.answer(request);
        response.keep_alive(request.keep_alive() && !stopping_);
        response.prepare_payload();
        co_await http::async_write(stream, response, token);
        const bool last = error || !response.keep_alive();
        answered();
        if (last)
            break;
    }
    stream.socket().shutdown(tcp::socket::shutdown_both, error);
}

void Server::stop() {
    stopping_ = true;
    acceptor_.close();
    stop_limit_.expires_after(stop_limit);
    stop_limit_.async_wait([this](error_code) { context_.stop(); });
    if (under_way_ == 0)
        context_.stop();
}

void Server::answered() {
    under_way_ -= 1;
    if (stopping_ && under_way_ == 0)
        context_.stop();
}

}  // namespace payments
