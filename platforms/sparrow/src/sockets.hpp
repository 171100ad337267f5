// TCP and unix sockets, without JavaScript.
#pragma once

#include <string>
#include <vector>

namespace sparrow {

// The outcome of opening a socket: a descriptor, or -1 with an errno, or a message of the resolver.
struct Opened {
    int fd = -1;
    int error = 0;
    std::string message;
};

// A host that begins with '/' is the path of a unix socket.
Opened listen_on(const std::string& host, int port, bool share_port);
// The addresses of a host as text, in the order in which the system would try them. `failure`: why
// there are none.
std::vector<std::string> addresses_of(const std::string& host, std::string& failure);
// The connection may still be under way.
Opened connect_to(const std::string& host, int port);

// Accepts connections. If the process has too few descriptors, it says so once and refuses
// connections: a spare descriptor is given up for long enough to accept and close one.
class Acceptor {
public:
    Acceptor();
    ~Acceptor();
    // The next connection's socket; -1 if none can be accepted now.
    int accept(int listener);

private:
    int spare_;
    bool told_ = false;
};

int port_of(int fd);
void set_no_delay(int fd);

}  // namespace sparrow
