#include "server.hpp"

#include <sys/signalfd.h>

#include <chrono>
#include <cstdint>

namespace web {
namespace {

using Clock = std::chrono::steady_clock;

// The contract's 5 s, less what ending the process takes.
constexpr std::chrono::seconds stop_limit{4};
// A request may be on its way to a connection that was just used.
constexpr std::uint64_t last_request_ms = 500;
constexpr int longest_wait_ms = 100;

// A socket that libh2o only watches.
h2o_socket_t* watched(h2o_loop_t* loop, int descriptor, void* data, h2o_socket_cb callback) {
    h2o_socket_t* const socket =
        h2o_evloop_socket_create(loop, descriptor, H2O_SOCKET_FLAG_DONT_READ);
    socket->data = data;
    h2o_socket_read_start(socket, callback);
    return socket;
}

Server& server_of(h2o_socket_t* socket) {
    return *static_cast<Server*>(socket->data);
}

}  // namespace

Server::Server(Application& application, int listener, const sigset_t& termination,
               const std::optional<std::string>& database_url, std::size_t connections) {
    h2o_context_init(&context_, h2o_evloop_create(), &application.configuration());
    accepting_.ctx = &context_;
    accepting_.hosts = application.configuration().hosts;
    if (database_url)
        context_.database = &database_.emplace(context_, *database_url, connections);
    listener_ = watched(context_.loop, listener, this,
                        [](h2o_socket_t* socket, const char*) { server_of(socket).accept(); });
    // No thread takes the signal off, so that the loop of each thread sees it.
    signals_ = watched(context_.loop, signalfd(-1, &termination, SFD_NONBLOCK | SFD_CLOEXEC), this,
                       [](h2o_socket_t* socket, const char*) { server_of(socket).stop(); });
}

void Server::run() {
    while (!stopping_)
        h2o_evloop_run(context_.loop, INT32_MAX);
    const Clock::time_point limit = Clock::now() + stop_limit;
    while (has_connections() && Clock::now() < limit)
        h2o_evloop_run(context_.loop, longest_wait_ms);
}

void Server::accept() {
    while (h2o_socket_t* const socket = h2o_evloop_socket_accept(listener_))
        h2o_accept(&accepting_, socket);
}

void Server::stop() {
    stopping_ = true;
    h2o_socket_close(signals_);
    h2o_socket_close(listener_);
    // Each connection ends after its next reply, or if no request arrives soon.
    h2o_context_request_shutdown(&context_);
    context_.http1.req_timeout.timeout = last_request_ms;
}

bool Server::has_connections() {
    // Called for each connection; a result other than 0 ends the search.
    const auto found = [](h2o_req_t*, void*) { return 1; };
    return context_.globalconf->http1.callbacks.foreach_request(&context_, found, nullptr) != 0;
}

}  // namespace web
