// From a request to its response.

#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/beast/http.hpp>
#include <string_view>

#include "database.hpp"

namespace web {

using Request = boost::beast::http::request<boost::beast::http::string_body>;
using Response = boost::beast::http::response<boost::beast::http::string_body>;

class Application {
public:
    // A null database: the workload needs none.
    explicit Application(Database* database) : database_(database) {}

    boost::asio::awaitable<Response> answer(const Request& request) const;

private:
    boost::asio::awaitable<Response> chosen(const Request& request, std::string_view target) const;

    Database* database_;
};

}  // namespace web
