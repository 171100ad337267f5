#include "sockets.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>

namespace sparrow {
namespace {

constexpr int kBacklog = 4096;
constexpr int kKind = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;

using Use = std::function<bool(int fd, const sockaddr* address, socklen_t size)>;
using Addresses = std::unique_ptr<addrinfo, decltype([](addrinfo* all) { freeaddrinfo(all); })>;

// What a name and a port stand for, as the system says. Null with an outcome that says why.
Addresses addresses(const std::string& host, const std::string& port, int flags, Opened& outcome) {
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = flags;
    addrinfo* found = nullptr;
    const int failed = getaddrinfo(host.c_str(), port.c_str(), &wanted, &found);
    if (failed == 0)
        return Addresses(found);
    outcome = {-1, failed == EAI_SYSTEM ? errno : 0, gai_strerror(failed)};
    return nullptr;
}

Opened tried(int family, const sockaddr* address, socklen_t size, const Use& use) {
    Opened opened;
    opened.fd = socket(family, kKind, 0);
    if (opened.fd >= 0 && use(opened.fd, address, size))
        return opened;
    opened.error = errno;
    if (opened.fd >= 0)
        close(opened.fd);
    opened.fd = -1;
    return opened;
}

// The first of the host's addresses that can be used.
Opened first_of(const std::string& host, int port, int flags, const Use& use) {
    if (host.starts_with('/')) {
        sockaddr_un path{};
        path.sun_family = AF_UNIX;
        if (host.size() >= sizeof path.sun_path)
            return {-1, ENAMETOOLONG, ""};
        std::memcpy(path.sun_path, host.data(), host.size());
        return tried(AF_UNIX, reinterpret_cast<const sockaddr*>(&path), sizeof path, use);
    }
    Opened opened;
    const Addresses all = addresses(host, std::to_string(port), flags | AI_NUMERICSERV, opened);
    for (const addrinfo* one = all.get(); one && opened.fd < 0; one = one->ai_next)
        opened = tried(one->ai_family, one->ai_addr, one->ai_addrlen, use);
    return opened;
}

// Removes a socket's file if no process listens at it any longer.
bool removed_stale(const sockaddr* address, socklen_t size) {
    if (address->sa_family != AF_UNIX)
        return false;
    const char* path = reinterpret_cast<const sockaddr_un*>(address)->sun_path;
    struct stat status{};
    if (lstat(path, &status) != 0 || !S_ISSOCK(status.st_mode))
        return false;
    const int probe = socket(AF_UNIX, kKind, 0);
    const bool stale = connect(probe, address, size) != 0 && errno == ECONNREFUSED;
    close(probe);
    return stale && unlink(path) == 0;
}

int spare_descriptor() {
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

}  // namespace

Opened listen_on(const std::string& host, int port, bool share_port) {
    return first_of(host, port, AI_PASSIVE, [=](int fd, const sockaddr* address, socklen_t size) {
        const int on = 1;
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (share_port)
            setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
        const auto bound = [&] { return bind(fd, address, size) == 0; };
        if (!bound() && (errno != EADDRINUSE || !removed_stale(address, size) || !bound()))
            return false;
        return listen(fd, kBacklog) == 0;
    });
}

std::vector<std::string> addresses_of(const std::string& host, std::string& failure) {
    if (host.starts_with('/'))
        return {host};
    Opened outcome{-1, 0, "it has no address"};
    std::vector<std::string> all;
    const Addresses found = addresses(host, "0", AI_NUMERICSERV, outcome);
    for (const addrinfo* one = found.get(); one; one = one->ai_next) {
        char address[NI_MAXHOST];
        if (getnameinfo(one->ai_addr, one->ai_addrlen, address, sizeof address, nullptr, 0,
                        NI_NUMERICHOST) == 0)
            all.emplace_back(address);
    }
    failure = outcome.message;
    return all;
}

Opened connect_to(const std::string& host, int port) {
    return first_of(host, port, 0, [](int fd, const sockaddr* address, socklen_t size) {
        return connect(fd, address, size) == 0 || errno == EINPROGRESS;
    });
}

Acceptor::Acceptor() : spare_(spare_descriptor()) {}

Acceptor::~Acceptor() {
    if (spare_ >= 0)
        close(spare_);
}

int Acceptor::accept(int listener) {
    const int socket = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket >= 0 || (errno != EMFILE && errno != ENFILE))
        return socket;
    if (!std::exchange(told_, true))
        std::fprintf(stderr,
                     "sparrow: too few file descriptors (ulimit -n): "
                     "connections are refused\n");
    if (spare_ >= 0)
        close(spare_);
    const int refused = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (refused >= 0)
        close(refused);
    spare_ = spare_descriptor();
    return -1;
}

int port_of(int fd) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0)
        return 0;
    if (address.ss_family == AF_INET)
        return ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port);
    if (address.ss_family == AF_INET6)
        return ntohs(reinterpret_cast<sockaddr_in6*>(&address)->sin6_port);
    return 0;
}

void set_no_delay(int fd) {
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace sparrow
