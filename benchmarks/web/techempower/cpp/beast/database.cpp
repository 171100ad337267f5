#include "database.hpp"

#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace web {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

// Sends all queries before it waits for the first row. Each query has a Sync of its own.
asio::awaitable<std::vector<World>> read(Client& client, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        send_read(client.connection());
    std::vector<World> rows;
    rows.reserve(count);
    while (rows.size() < count)
        rows.push_back(world(co_await client.result()));
    co_return rows;
}

}  // namespace

Database::Database(asio::any_io_executor executor, std::string url, std::size_t connections)
    : url_(std::move(url)), connections_(connections), idle_(std::move(executor), connections) {}

asio::awaitable<void> Database::open() {
    for (std::size_t i = 0; i < connections_; ++i)
        idle_.try_send(error_code(), co_await Client::open(url_));
}

// What `work` makes of an idle client. A client that failed is replaced when it is next needed.
template <class Answer, class Work>
asio::awaitable<Answer> Database::use(Work work) {
    auto client = co_await idle_.async_receive(asio::use_awaitable);
    try {
        if (client == nullptr)
            client = co_await Client::open(url_);
        Answer answer = co_await work(*client);
        idle_.try_send(error_code(), std::move(client));
        co_return answer;
    } catch (...) {
        idle_.try_send(error_code(), nullptr);
        throw;
    }
}

asio::awaitable<World> Database::random_row() {
    return use<World>([](Client& client) -> asio::awaitable<World> {
        send_read(client.connection());
        co_return world(co_await client.result());
    });
}

asio::awaitable<std::vector<World>> Database::random_rows(std::size_t count) {
    return use<std::vector<World>>([count](Client& client) { return read(client, count); });
}

asio::awaitable<std::vector<World>> Database::update(std::size_t count) {
    using Rows = std::vector<World>;
    return use<Rows>([count](Client& client) -> asio::awaitable<Rows> {
        Rows rows = co_await read(client, count);
        send_update(client.connection(), rows);
        co_await client.result();
        co_return rows;
    });
}

asio::awaitable<std::vector<Fortune>> Database::sorted_fortunes() {
    using Fortunes = std::vector<Fortune>;
    return use<Fortunes>([](Client& client) -> asio::awaitable<Fortunes> {
        send_fortunes(client.connection());
        co_return fortunes(co_await client.result());
    });
}

}  // namespace web
