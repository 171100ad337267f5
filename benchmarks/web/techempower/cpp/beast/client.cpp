#include "client.hpp"

#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <chrono>
#include <exception>
#include <system_error>
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
    // Not by the operator ||, which after a failure waits for the other.
    auto both = asio::experimental::make_parallel_group(
        asio::co_spawn(executor, client->connect(), asio::deferred),
        limit.async_wait(asio::deferred));
    const auto [order, failure, _] =
        co_await both.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    if (order[0] == 1)
        throw DatabaseError("no connection within 10 s");
    if (failure)
        std::rethrow_exception(failure);
    co_return client;
}

asio::awaitable<void> Client::connect() {
    for (Readiness next = Readiness::writable; next != Readiness::none;) {
        // A duplicate, because libpq closes its socket without a word to Asio.
        const int duplicate = ::dup(connection_.socket());
        if (duplicate < 0)
            throw DatabaseError(std::generic_category().message(errno));
        descriptor_.assign(duplicate);
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
