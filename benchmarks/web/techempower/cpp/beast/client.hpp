// A client of PostgreSQL: libpq has the protocol, and Asio waits for the socket.

#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <memory>
#include <string>

#include "../domain/connection.hpp"

namespace web {

class Client {
public:
    // A client with its statements prepared. Throws DatabaseError, after 10 s at the latest.
    static boost::asio::awaitable<std::unique_ptr<Client>> open(const std::string& url);

    // The connection, for sending queries.
    Connection& connection() { return connection_; }

    // The result of the first query whose result was not yet awaited. Throws DatabaseError.
    boost::asio::awaitable<Result> result();

private:
    Client(boost::asio::any_io_executor executor, const std::string& url);
    boost::asio::awaitable<void> connect();

    Connection connection_;
    boost::asio::posix::stream_descriptor descriptor_;
};

}  // namespace web
