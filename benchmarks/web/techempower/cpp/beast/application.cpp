#include "application.hpp"

#include <boost/beast/version.hpp>
#include <boost/json.hpp>
#include <iostream>
#include <string>
#include <utility>

#include "../domain/target.hpp"
#include "date.hpp"

namespace web {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace json = boost::json;

// Boost.JSON finds this function by the type World.
static void tag_invoke(json::value_from_tag, json::value& value, const World& row) {
    value = {{"id", row.id}, {"randomNumber", row.random_number}};
}

namespace {

Response response(const Request& request, http::status status, std::string_view type,
                  std::string body) {
    Response response(status, request.version(), std::move(body));
    response.set(http::field::server, BOOST_BEAST_VERSION_STRING);
    response.set(http::field::date, date());
    response.set(http::field::content_type, type);
    return response;
}

Response json_response(const Request& request, const json::value& value) {
    return response(request, http::status::ok, "application/json", json::serialize(value));
}

Response failure(const Request& request, http::status status, std::string text) {
    return response(request, status, "text/plain", std::move(text));
}

}  // namespace

asio::awaitable<Response> Application::answer(const Request& request) const {
    try {
        const std::string_view target(request.target().data(), request.target().size());
        co_return co_await chosen(request, target);
    } catch (const DatabaseError& error) {
        std::cerr << error.what() << '\n';
        co_return failure(request, http::status::internal_server_error, "internal error");
    }
}

asio::awaitable<Response> Application::chosen(const Request& request,
                                              std::string_view target) const {
    const std::string_view wanted = path(target);
    if (request.method() != http::verb::get)
        co_return failure(request, http::status::method_not_allowed, "only GET is allowed");
    if (wanted == "/plaintext")
        co_return response(request, http::status::ok, "text/plain", std::string(greeting));
    if (wanted == "/json")
        co_return json_response(request, {{"message", greeting}});
    if (database_ != nullptr) {
        if (wanted == "/db")
            co_return json_response(request, json::value_from(co_await database_->random_row()));
        if (wanted == "/queries") {
            const auto rows = co_await database_->random_rows(query_count(target));
            co_return json_response(request, json::value_from(rows));
        }
        if (wanted == "/updates") {
            const auto rows = co_await database_->update(query_count(target));
            co_return json_response(request, json::value_from(rows));
        }
        if (wanted == "/fortunes") {
            const auto fortunes = co_await database_->sorted_fortunes();
            co_return response(request, http::status::ok, "text/html; charset=utf-8",
                               page(fortunes));
        }
    }
    co_return failure(request, http::status::not_found, "no such path");
}

}  // namespace web
