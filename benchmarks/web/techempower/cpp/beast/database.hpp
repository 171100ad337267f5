// The tables, through a pool of clients. Each thread has a pool of its own.

#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/experimental/channel.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "../domain/fortunes.hpp"
#include "../domain/world.hpp"
#include "client.hpp"

namespace web {

// Every function throws DatabaseError.
class Database {
public:
    Database(boost::asio::any_io_executor executor, std::string url, std::size_t connections);

    // Opens all connections.
    boost::asio::awaitable<void> open();

    boost::asio::awaitable<World> random_row();
    boost::asio::awaitable<std::vector<World>> random_rows(std::size_t count);
    boost::asio::awaitable<std::vector<World>> update(std::size_t count);
    boost::asio::awaitable<std::vector<Fortune>> sorted_fortunes();

private:
    template <class Answer, class Work>
    boost::asio::awaitable<Answer> use(Work work);

    std::string url_;
    std::size_t connections_;
    // A null client stands for a connection that is not open.
    boost::asio::experimental::channel<void(boost::system::error_code, std::unique_ptr<Client>)>
        idle_;
};

}  // namespace web
