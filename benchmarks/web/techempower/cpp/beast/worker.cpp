#include "worker.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <chrono>
#include <exception>
#include <utility>

#include "../domain/database.hpp"

namespace web {

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

}  // namespace

Worker::Worker(const std::optional<std::string>& url, std::size_t connections)
    : staying_(context_.get_executor()),
      stop_limit_(context_),
      application_(url ? &database_.emplace(context_.get_executor(), *url, connections) : nullptr) {
    if (database_)
        open();
}

void Worker::open() {
    std::exception_ptr failure;
    asio::co_spawn(context_, database_->open(), [&](std::exception_ptr thrown) {
        failure = std::move(thrown);
        context_.stop();
    });
    context_.run();
    context_.restart();
    try {
        if (failure)
            std::rethrow_exception(failure);
    } catch (const DatabaseError& error) {
        throw unreachable(error.what());
    }
}

void Worker::serve(tcp::socket socket) {
    asio::co_spawn(context_, converse(std::move(socket)), asio::detached);
}

asio::awaitable<void> Worker::converse(tcp::socket socket) {
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

void Worker::stop() {
    asio::post(context_, [this] {
        stopping_ = true;
        stop_limit_.expires_after(stop_limit);
        stop_limit_.async_wait([this](error_code) { context_.stop(); });
        if (under_way_ == 0)
            context_.stop();
    });
}

void Worker::answered() {
    under_way_ -= 1;
    if (stopping_ && under_way_ == 0)
        context_.stop();
}

}  // namespace web
