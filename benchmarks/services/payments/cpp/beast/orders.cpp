#include "orders.hpp"

#include <unistd.h>

#include <array>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <charconv>
#include <string_view>
#include <utility>

#include "runfair/options.hpp"

namespace payments {

namespace asio = boost::asio;
using asio::posix::descriptor_base;
using boost::system::error_code;

namespace {

constexpr const char* statement = "order";

struct Clearing {
    void operator()(PGresult* result) const { PQclear(result); }
};
using Result = std::unique_ptr<PGresult, Clearing>;

// A form that libpq would take too, and more, is not what the contract says.
void check(const std::string& url) {
    char* message = nullptr;
    PQconninfoOption* options = PQconninfoParse(url.c_str(), &message);
    const bool malformed = options == nullptr || !url.starts_with("postgresql://");
    PQconninfoFree(options);
    PQfreemem(message);
    if (malformed) {
        throw runfair::UserError(
            "DATABASE_URL takes postgresql://USER[:PASSWORD]@HOST:PORT/NAME, not " +
            runfair::quoted(url));
    }
}

std::string_view text(const Result& result, int column) {
    return {PQgetvalue(result.get(), 0, column),
            static_cast<std::size_t>(PQgetlength(result.get(), 0, column))};
}

std::int64_t integer(const Result& result, int column) {
    const std::string_view digits = text(result, column);
    std::int64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

}  // namespace

Connection::Connection(asio::any_io_executor executor, const std::string& url)
    : executor_(std::move(executor)), connection_(PQconnectdb(url.c_str()), PQfinish) {
    prepare();
}

bool Connection::is_broken() const {
    return PQstatus(connection_.get()) != CONNECTION_OK;
}

void Connection::reopen() {
    descriptor_.reset();
    PQreset(connection_.get());
    prepare();
}

void Connection::prepare() {
    if (is_broken())
        throw DatabaseError(PQerrorMessage(connection_.get()));
    const Result prepared(PQprepare(connection_.get(), statement, order_query, 1, nullptr));
    if (PQresultStatus(prepared.get()) != PGRES_COMMAND_OK ||
        PQsetnonblocking(connection_.get(), 1) != 0)
        throw DatabaseError(PQerrorMessage(connection_.get()));
    // One of our own for the same socket: libpq closes its own without a word to Asio.
    descriptor_.emplace(executor_, ::dup(PQsocket(connection_.get())));
}

asio::awaitable<std::optional<Order>> Connection::find(std::int64_t id) {
    const std::string number = std::to_string(id);
    const std::array<const char*, 1> values{number.c_str()};
    if (PQsendQueryPrepared(connection_.get(), statement, 1, values.data(), nullptr, nullptr, 0) !=
        1)
        throw DatabaseError(PQerrorMessage(connection_.get()));
    co_await flush();
    const Result rows(co_await result());
    // The end of the query: libpq takes no other before it was asked for.
    while (const Result rest{co_await result()}) {
    }
    if (PQresultStatus(rows.get()) != PGRES_TUPLES_OK)
        throw DatabaseError(PQerrorMessage(connection_.get()));
    if (PQntuples(rows.get()) == 0)
        co_return std::nullopt;
    co_return Order{integer(rows, 0), std::string(text(rows, 1)), std::string(text(rows, 2)),
                    integer(rows, 3), std::string(text(rows, 4))};
}

asio::awaitable<void> Connection::flush() {
    for (int left = PQflush(connection_.get()); left != 0; left = PQflush(connection_.get())) {
        if (left < 0)
            throw DatabaseError(PQerrorMessage(connection_.get()));
        co_await wait(descriptor_base::wait_write);
    }
}

asio::awaitable<void> Connection::wait(descriptor_base::wait_type what) {
    error_code error;
    co_await descriptor_->async_wait(what, asio::redirect_error(asio::use_awaitable, error));
    if (error)
        throw DatabaseError(error.message());
}

asio::awaitable<PGresult*> Connection::result() {
    while (PQisBusy(connection_.get())) {
        co_await wait(descriptor_base::wait_read);
        if (PQconsumeInput(connection_.get()) != 1)
            throw DatabaseError(PQerrorMessage(connection_.get()));
    }
    co_return PQgetResult(connection_.get());
}

namespace {

// A connection that broke while idle shows it when it is used: it is opened again, once.
asio::awaitable<std::optional<Order>> again_if_broken(Connection& connection, std::int64_t id) {
    try {
        co_return co_await connection.find(id);
    } catch (const DatabaseError&) {
        if (!connection.is_broken())
            throw;
    }
    connection.reopen();
    co_return co_await connection.find(id);
}

}  // namespace

Orders::Orders(asio::any_io_executor executor, const std::string& url, std::size_t connections)
    : idle_(executor, connections) {
    check(url);
    try {
        for (std::size_t i = 0; i < connections; ++i) {
            connections_.push_back(std::make_unique<Connection>(executor, url));
            idle_.try_send(error_code(), connections_.back().get());
        }
    } catch (const DatabaseError& error) {
        throw runfair::UserError("DATABASE_URL cannot be reached: " +
                                 runfair::quoted(error.what()));
    }
}

asio::awaitable<std::optional<Order>> Orders::find(std::int64_t id) {
    Connection* connection = co_await idle_.async_receive(asio::use_awaitable);
    std::optional<Order> order;
    try {
        order = co_await again_if_broken(*connection, id);
    } catch (const DatabaseError&) {
        idle_.try_send(error_code(), connection);
        throw;
    }
    idle_.try_send(error_code(), connection);
    co_return order;
}

}  // namespace payments
