#include "listener.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "libh2o.hpp"
#include "runfair/execution.hpp"

namespace web {

int listening_socket(const runfair::Options& options, std::uint16_t port) {
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* first = nullptr;
    const std::string service = std::to_string(port);
    const int error = getaddrinfo(options.text("host").c_str(), service.c_str(), &wanted, &first);
    if (error != 0)
        throw runfair::cannot_listen(options, gai_strerror(error));
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> found(first, freeaddrinfo);
    const int listener = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    // Without SO_REUSEADDR, the port stays closed for a minute after another program used it.
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    // One thread does not share the port, so that a port in use is an error.
    if (options.number("threads") > 1)
        setsockopt(listener, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
    if (bind(listener, found->ai_addr, found->ai_addrlen) != 0 ||
        listen(listener, H2O_SOMAXCONN) != 0)
        throw runfair::cannot_listen(options, std::strerror(errno));
    return listener;
}

std::uint16_t port_of(int socket) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length);
    return ntohs(address.ss_family == AF_INET6
                     ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                     : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

}  // namespace web
