// A thread's event loop, with the connections to clients and to the database that belong to it.

#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <optional>
#include <string>

#include "application.hpp"
#include "database.hpp"

namespace web {

class Worker {
public:
    // With all database connections open, if there is a database. Throws runfair::UserError.
    Worker(const std::optional<std::string>& url, std::size_t connections);

    boost::asio::io_context& context() { return context_; }

    // Returns after `stop`.
    void run() { context_.run(); }

    // Other threads may call these two functions.
    void serve(boost::asio::ip::tcp::socket socket);
    // Makes `run` return behind the responses under way, and after 4 s at the latest.
    void stop();

private:
    void open();
    boost::asio::awaitable<void> converse(boost::asio::ip::tcp::socket socket);
    void answered();

    boost::asio::io_context context_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> staying_;
    boost::asio::steady_timer stop_limit_;
    std::optional<Database> database_;
    Application application_;
    std::size_t under_way_ = 0;
    bool stopping_ = false;
};

}  // namespace web
