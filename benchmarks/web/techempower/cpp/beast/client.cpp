#include "client.hpp"

#include <unistd.h>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <chrono>
#include <utility>

namespace web {

namespace asio = boost::asio;
using asio::posix::descriptor_base;
using asio::posix::stream_descriptor;
using namespace asio::experimental::awaitable_operators;

namespace {

constexpr std::chrono::seconds connect_limit{10};

}  // namespace

Client::Client(asio::any_io_executor executor, const std::string& url)
    : connection_(url), descriptor_(std::move(executor)) {}

asio::awaitable<std::unique_ptr<Client>> Client::open(const std::string& url) {
    const auto executor = co_await asio::this_coro::executor;
    std::unique_ptr<Client> client(new Client(executor, url));
    asio::steady_timer limit(executor, connect_limit);
    const auto first = co_await (client->connect() || limit.async_wait(asio::use_awaitable));
    if (first.index() == 1)
        throw DatabaseError("no connection within 10 s");
    co_return client;
}

asio::awaitable<void> Client::connect() {
    for (Readiness next = Readiness::writable; next != Readiness::none;) {
        // Duplicates, because libpq closes its socket without a word to Asio.
        descriptor_.assign(::dup(connection_.socket()));
        co_await descriptor_.async_wait(
            next == Readiness::readable ? descriptor_base::wait_read : descriptor_base::wait_write,
            asio::use_awaitable);
        next = connection_.connect();
        if (next != Readiness::none)
            descriptor_.close();
    }
    connection_.prepare();
    while (connection_.pending() > 0)
        co_await result();
}

asio::awaitable<Result> Client::result() {
    while (!connection_.flush()) {
        co_await (descriptor_.async_wait(descriptor_base::wait_write, asio::use_awaitable) ||
                  descriptor_.async_wait(descriptor_base::wait_read, asio::use_awaitable));
        connection_.receive();
    }
    Result result = connection_.result();
    while (result == nullptr) {
        co_await descriptor_.async_wait(descriptor_base::wait_read, asio::use_awaitable);
        connection_.receive();
        result = connection_.result();
    }
    co_return result;
}

}  // namespace web
