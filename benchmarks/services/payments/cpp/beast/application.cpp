#include "application.hpp"

#include <boost/json.hpp>
#include <iostream>
#include <string>

#include "../domain/payment.hpp"
#include "../domain/routing.hpp"

namespace payments {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace json = boost::json;

namespace {

Response response(const Request& request, http::status status, const json::value& value) {
    Response response(status, request.version(), json::serialize(value));
    response.set(http::field::content_type, "application/json");
    return response;
}

template <class Value>
Response success(const Request& request, const Value& value) {
    return response(request, http::status::ok, json::value_from(value));
}

Response failure(const Request& request, http::status status, std::string_view error) {
    return response(request, status, {{"error", error}});
}

// The body; throws BadRequest.
template <class Value>
Value body(const Request& request) {
    json::error_code error;
    const json::value value = json::parse(request.body(), error);
    if (error)
        throw BadRequest();
    auto read = json::try_value_to<Value>(value);
    if (!read)
        throw BadRequest();
    return std::move(*read);
}

// The one segment that follows the prefix.
std::optional<std::string_view> segment(std::string_view path, std::string_view prefix) {
    if (!path.starts_with(prefix))
        return std::nullopt;
    path.remove_prefix(prefix.size());
    if (path.empty() || path.find('/') != path.npos)
        return std::nullopt;
    return path;
}

}  // namespace

asio::awaitable<Response> Application::answer(const Request& request) const {
    try {
        co_return co_await chosen(request);
    } catch (const BadRequest& error) {
        co_return failure(request, http::status::bad_request, error.what());
    } catch (const DatabaseError& error) {
        std::cerr << error.what() << '\n';
        co_return failure(request, http::status::internal_server_error, "internal error");
    }
}

asio::awaitable<Response> Application::chosen(const Request& request) const {
    const std::string_view target(request.target().data(), request.target().size());
    const std::string_view path = target.substr(0, target.find('?'));
    if (request.method() == http::verb::post) {
        if (const auto amount = segment(path, "/pay/"))
            co_return pay(request, *amount);
        if (path == "/route")
            co_return route(request);
    } else if (request.method() == http::verb::get) {
        if (const auto id = segment(path, "/order/"))
            co_return co_await order(request, *id);
    }
    co_return failure(request, http::status::not_found, "no such path");
}

Response Application::pay(const Request& request, std::string_view text) const {
    const std::int64_t amount = payments::amount(text);
    return success(request, body<Payment>(request).receipt(amount, payments_.records));
}

Response Application::route(const Request& request) const {
    const auto routing = body<Routing>(request);
    routing.check();
    const auto choice = routing.choice(payments_.processors);
    return choice ? success(request, *choice)
                  : failure(request, http::status::not_found, "no processor");
}

asio::awaitable<Response> Application::order(const Request& request, std::string_view text) const {
    const std::int64_t id = order_id(text);
    if (orders_ == nullptr)
        co_return failure(request, http::status::service_unavailable, "no database");
    const auto order = co_await orders_->find(id);
    co_return order ? success(request, *order)
                    : failure(request, http::status::not_found, "no order");
}

}  // namespace payments
