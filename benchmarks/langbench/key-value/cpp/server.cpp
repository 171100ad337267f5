#include "server.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <system_error>
#include <thread>

namespace key_value {

namespace {

using namespace std::chrono_literals;

constexpr auto leave_limit = 1s;
// What ends again when connections do: until then the next ones wait in the kernel.
constexpr std::array shortages{EMFILE, ENFILE, ENOBUFS, ENOMEM};
constexpr auto shortage_pause = 10ms;
constexpr int backlog = 4096;  // Linux's own limit (net.core.somaxconn)

std::string reason(int error) {
    return std::generic_category().message(error);
}

int listening(const runfair::Options& options) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE;
    addrinfo* found = nullptr;
    const int unknown =
        ::getaddrinfo(options.text("host").c_str(), options.text("port").c_str(), &hints, &found);
    if (unknown != 0)
        throw runfair::cannot_listen(options, ::gai_strerror(unknown));
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> first(found, ::freeaddrinfo);
    const int number = ::socket(first->ai_family, first->ai_socktype | SOCK_CLOEXEC, 0);
    const int on = 1;
    if (number < 0 || ::setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
        ::bind(number, first->ai_addr, first->ai_addrlen) < 0 || ::listen(number, backlog) < 0) {
        throw runfair::cannot_listen(options, reason(errno));
    }
    return number;
}

// As many descriptors as the system lets the process have.
void raise_file_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
}

}  // namespace

Descriptor::~Descriptor() {
    ::close(number_);
}

Server::Server(const runfair::Options& options, Store& store)
    : listening_(listening(options)),
      store_(store),
      sections_{options.number("addresses") == 1, options.has("count")} {}

Counts Server::run(const runfair::Ready& ready) {
    raise_file_limit();
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::thread accepting([this] { accept(); });
    ready(port());
    int signal = 0;
    sigwait(&signals, &signal);
    ::shutdown(listening_.number(), SHUT_RDWR);
    accepting.join();

    const auto shut_down = [this](int how) {
        for (const int connection : connections_)
            ::shutdown(connection, how);
    };
    const auto all_left = [this] { return connections_.empty(); };
    std::unique_lock lock(mutex_);
    // What has been received is still read and answered.
    shut_down(SHUT_RD);
    if (!left_.wait_for(lock, leave_limit, all_left)) {
        shut_down(SHUT_RDWR);
        left_.wait(lock, all_left);
    }
    return totals_.sum();
}

std::uint16_t Server::port() const {
    sockaddr_storage bound{};
    socklen_t length = sizeof bound;
    ::getsockname(listening_.number(), reinterpret_cast<sockaddr*>(&bound), &length);
    return ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(bound).sin6_port
                                             : reinterpret_cast<sockaddr_in&>(bound).sin_port);
}

void Server::accept() {
    while (true) {
        const int connection = ::accept4(listening_.number(), nullptr, nullptr, SOCK_CLOEXEC);
        if (connection < 0) {
            if (errno == EINVAL)  // shut down
                return;
            if (std::find(shortages.begin(), shortages.end(), errno) != shortages.end())
                std::this_thread::sleep_for(shortage_pause);
            continue;
        }
        {
            const std::lock_guard lock(mutex_);
            connections_.insert(connection);
        }
        try {
            std::thread([this, connection] { serve(connection); }).detach();
        } catch (const std::system_error&) {  // no thread is to be had
            leave(connection);
        }
    }
}

void Server::serve(int connection) {
    const int on = 1;
    ::setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    try {
        Replies replies(connection);
        Requests requests(connection, replies);
        Session session(store_, sections_, totals_, replies);
        Words words;
        try {
            while (session.open) {
                requests.next(words);
                if (!words.empty())
                    session.answer(words);
                replies.send_if_many();
            }
        } catch (const ProtocolError& mistake) {
            replies.error("ERR Protocol error: " + mistake.text());
        }
        replies.send();
    } catch (const ConnectionEnded&) {
        // An end or a reset by the client is an end like any other.
    }
    leave(connection);
}

void Server::leave(int connection) {
    // Closed under the lock: the number may be another connection's at once.
    const std::lock_guard lock(mutex_);
    connections_.erase(connection);
    ::close(connection);
    left_.notify_one();
}

}  // namespace key_value
