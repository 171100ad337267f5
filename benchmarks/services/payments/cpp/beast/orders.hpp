// The orders of the database, through a pool of connections.

#pragma once

#include <libpq-fe.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/experimental/concurrent_channel.hpp>
#include <boost/asio/posix/descriptor_base.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "../domain/order.hpp"

namespace payments {

class DatabaseError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// One connection, with the query prepared; libpq does its protocol, Asio its waiting.
class Connection {
public:
    // Throws DatabaseError.
    Connection(boost::asio::any_io_executor executor, const std::string& url);

    bool is_broken() const;
    // Blocks, as the constructor does. Throws DatabaseError.
    void reopen();

    // Reads one row. Throws DatabaseError.
    boost::asio::awaitable<std::optional<Order>> find(std::int64_t id);

private:
    void prepare();
    boost::asio::awaitable<void> flush();
    boost::asio::awaitable<void> wait(boost::asio::posix::descriptor_base::wait_type what);
    boost::asio::awaitable<PGresult*> result();

    boost::asio::any_io_executor executor_;
    std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
    std::optional<boost::asio::posix::stream_descriptor> descriptor_;
};

class Orders {
public:
    // With its connections open; throws runfair::UserError.
    Orders(boost::asio::any_io_executor executor, const std::string& url, std::size_t connections);

    boost::asio::awaitable<std::optional<Order>> find(std::int64_t id);

private:
    std::vector<std::unique_ptr<Connection>> connections_;
    boost::asio::experimental::concurrent_channel<void(boost::system::error_code, Connection*)>
        idle_;
};

}  // namespace payments
