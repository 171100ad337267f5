#include "server.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "runfair/execution.hpp"

namespace web {
namespace {

constexpr int backlog = 4096;
constexpr int ready_at_once = 256;
constexpr std::size_t part_bytes = 1 << 16;

[[noreturn]] void fail(const char* call) {
    throw std::system_error(errno, std::generic_category(), call);
}

int checked(int result, const char* call) {
    if (result < 0)
        fail(call);
    return result;
}

}  // namespace

Listener::Listener(const runfair::Options& options, std::uint16_t port) : descriptor_(-1) {
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const std::string service = port == 0 ? options.text("port") : std::to_string(port);
    const int error = getaddrinfo(options.text("host").c_str(), service.c_str(), &wanted, &found);
    if (error != 0)
        throw runfair::cannot_listen(options, gai_strerror(error));
    descriptor_ = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const int on = 1;
    // Without SO_REUSEADDR a port stays closed for a minute. The port is shared only if there are
    // several threads, so that a port in use is seen.
    const bool shared = options.number("threads") > 1;
    setsockopt(descriptor_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (shared)
        setsockopt(descriptor_, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
    const bool listening = descriptor_ >= 0 &&
                           bind(descriptor_, found->ai_addr, found->ai_addrlen) == 0 &&
                           listen(descriptor_, backlog) == 0;
    const int reason = errno;
    freeaddrinfo(found);
    if (!listening)
        throw runfair::cannot_listen(options, std::strerror(reason));
}

Listener::Listener(Listener&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

Listener::~Listener() {
    if (descriptor_ >= 0)
        close(descriptor_);
}

std::uint16_t Listener::port() const {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    checked(getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &length),
            "getsockname");
    return ntohs(address.ss_family == AF_INET6
                     ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                     : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

Server::Server(const Listener& listener, const sigset_t& termination)
    : listener_(listener.descriptor()),
      events_(checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      signals_(checked(signalfd(-1, &termination, SFD_NONBLOCK | SFD_CLOEXEC), "signalfd")) {
    watch(listener_, EPOLLIN, EPOLL_CTL_ADD);
    // Nobody takes the signal off, so that every thread's loop sees it.
    watch(signals_, EPOLLIN, EPOLL_CTL_ADD);
}

Server::~Server() {
    for (const auto& [descriptor, _] : connections_)
        close(descriptor);
    close(signals_);
    close(events_);
}

void Server::run() {
    std::array<epoll_event, ready_at_once> ready;
    while (!stopping_) {
        const int count = epoll_wait(events_, ready.data(), ready_at_once, -1);
        if (count < 0 && errno != EINTR)
            fail("epoll_wait");
        for (int i = 0; i < count; ++i) {
            const epoll_event& event = ready[static_cast<std::size_t>(i)];
            if (event.data.fd == signals_)
                stopping_ = true;
            else if (event.data.fd == listener_)
                accept();
            else
                serve(event.data.fd, event.events);
        }
    }
}

void Server::watch(int descriptor, std::uint32_t events, int operation) const {
    epoll_event event{};
    event.events = events;
    event.data.fd = descriptor;
    checked(epoll_ctl(events_, operation, descriptor, &event), "epoll_ctl");
}

void Server::accept() {
    while (true) {
        const int descriptor = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (descriptor < 0)
            return;  // none is left, or a client has gone again
        const int on = 1;
        setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        watch(descriptor, EPOLLIN, EPOLL_CTL_ADD);
        connections_[descriptor].watched = EPOLLIN;
    }
}

void Server::serve(int descriptor, std::uint32_t events) {
    const auto found = connections_.find(descriptor);
    if (found == connections_.end())
        return;  // ended by an earlier event of the same wait
    Connection& connection = found->second;
    const bool wrote = connection.unsent.empty() || write(descriptor, connection);
    // A client that reads slowly is not read from until it has its answers.
    const bool open = wrote && ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) == 0 ||
                                !connection.unsent.empty() || read(descriptor, connection));
    if (!open) {
        connections_.erase(found);
        close(descriptor);
        return;
    }
    const std::uint32_t wanted = connection.unsent.empty() ? EPOLLIN : EPOLLOUT;
    if (wanted != connection.watched)
        watch(descriptor, wanted, EPOLL_CTL_MOD);
    connection.watched = wanted;
}

bool Server::read(int descriptor, Connection& connection) {
    std::array<char, part_bytes> part;
    const ssize_t count = recv(descriptor, part.data(), part.size(), 0);
    if (count <= 0)
        return count < 0 && (errno == EAGAIN || errno == EINTR);
    connection.received.append(part.data(), static_cast<std::size_t>(count));
    const bool good = answers_.take(connection.received, connection.unsent);
    return write(descriptor, connection) && good;
}

bool Server::write(int descriptor, Connection& connection) const {
    std::string& unsent = connection.unsent;
    const ssize_t count = send(descriptor, unsent.data(), unsent.size(), MSG_NOSIGNAL);
    if (count < 0)
        return errno == EAGAIN || errno == EINTR;
    unsent.erase(0, static_cast<std::size_t>(count));
    return true;
}

}  // namespace web
