#include "server.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "../cpp/answer.hpp"
#include "../cpp/failure.hpp"
#include "../cpp/target.hpp"
#include "runfair/execution.hpp"

namespace file_server {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::chrono::seconds stop_limit{2};

using FileAnswer = http::response<http::file_body>;
using Refusal = http::response<http::empty_body>;

tcp::acceptor listening(asio::io_context& context, const runfair::Options& options) {
    try {
        const auto found =
            tcp::resolver(context).resolve(options.text("host"), options.text("port"));
        return {context, *found.begin()};
    } catch (const boost::system::system_error& error) {
        throw runfair::cannot_listen(options, error.code().message());
    }
}

// The answer's head and, but for HEAD, its file, of which Beast sends a buffer at a time.
std::variant<FileAnswer, Refusal> found(const std::string& folder,
                                        const http::request<http::empty_body>& request) {
    if (request.method() != http::verb::get && request.method() != http::verb::head)
        return Refusal(http::status::method_not_allowed, request.version());
    std::string path = folder;
    try {
        for (const std::string& segment : file_name(request.target()))
            path.append("/").append(segment);
    } catch (const Failure& failure) {
        return Refusal(static_cast<http::status>(failure.status), request.version());
    }
    FileAnswer answer{http::status::ok, request.version()};
    error_code error;
    if (std::filesystem::is_regular_file(path, error))
        answer.body().open(path.c_str(), beast::file_mode::scan, error);
    if (!answer.body().is_open())
        return Refusal(http::status::not_found, request.version());
    answer.set(http::field::content_type, content_type(path));
    answer.content_length(answer.body().size());
    return answer;
}

}  // namespace

BeastServer::BeastServer(asio::io_context& context, std::string folder,
                         const runfair::Options& options)
    : context_(context),
      folder_(std::move(folder)),
      acceptor_(listening(context, options)),
      termination_(context, SIGTERM),
      stop_limit_(context) {}

void BeastServer::start() {
    termination_.async_wait([this](error_code, int) { stop(); });
    asio::co_spawn(context_, accept(), asio::detached);
}

asio::awaitable<void> BeastServer::accept() {
    while (true) {
        error_code error;
        // Connections may run at the same time, each on one thread at a time.
        tcp::socket socket = co_await acceptor_.async_accept(
            asio::make_strand(context_), asio::redirect_error(asio::use_awaitable, error));
        if (stopping_)
            co_return;
        if (error)
            continue;  // a client that was gone before it was accepted
        const auto executor = socket.get_executor();
        asio::co_spawn(executor, converse(std::move(socket)), asio::detached);
    }
}

asio::awaitable<void> BeastServer::converse(tcp::socket socket) {
    error_code error;
    socket.set_option(tcp::no_delay(true), error);
    beast::tcp_stream stream(std::move(socket));
    beast::flat_buffer buffer;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    while (!stopping_) {
        http::request<http::empty_body> request;
        co_await http::async_read(stream, buffer, request, token);
        if (error)
            break;  // the client has left, or what it sends is no request for a file
        under_way_ += 1;
        bool last = !request.keep_alive() || stopping_;
        auto outcome = found(folder_, request);
        if (auto* file = std::get_if<FileAnswer>(&outcome)) {
            file->keep_alive(!last);
            http::response_serializer<http::file_body> serializer{*file};
            if (request.method() == http::verb::head) {
                co_await http::async_write_header(stream, serializer, token);
            } else {
                co_await http::async_write(stream, serializer, token);
            }
        } else {
            Refusal& refusal = std::get<Refusal>(outcome);
            refusal.keep_alive(!last);
            refusal.prepare_payload();
            co_await http::async_write(stream, refusal, token);
        }
        last = last || error;
        answered();
        if (last)
            break;
    }
    stream.socket().shutdown(tcp::socket::shutdown_both, error);
}

void BeastServer::stop() {
    stopping_ = true;
    acceptor_.close();
    stop_limit_.expires_after(stop_limit);
    stop_limit_.async_wait([this](error_code) { context_.stop(); });
    if (under_way_ == 0)
        context_.stop();
}

void BeastServer::answered() {
    under_way_ -= 1;
    if (stopping_ && under_way_ == 0)
        context_.stop();
}

}  // namespace file_server
