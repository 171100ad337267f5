// From a request to its answer.

#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/beast/http.hpp>
#include <optional>
#include <string_view>

#include "../domain/payments.hpp"
#include "orders.hpp"

namespace payments {

using Request = boost::beast::http::request<boost::beast::http::string_body>;
using Response = boost::beast::http::response<boost::beast::http::string_body>;

class Application {
public:
    // No orders: no database.
    Application(const Payments& payments, Orders* orders) : payments_(payments), orders_(orders) {}

    boost::asio::awaitable<Response> answer(const Request& request) const;

private:
    boost::asio::awaitable<Response> chosen(const Request& request) const;
    Response pay(const Request& request, std::string_view amount) const;
    Response route(const Request& request) const;
    boost::asio::awaitable<Response> order(const Request& request, std::string_view id) const;

    const Payments& payments_;
    Orders* orders_;
};

}  // namespace payments
