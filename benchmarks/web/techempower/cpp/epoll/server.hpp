// An event loop: connections that are ready are read, answered and written.

#pragma once

#include <csignal>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "answers.hpp"
#include "runfair/options.hpp"

namespace web {

// A listening socket that shares its port with those of the other threads.
class Listener {
public:
    // Throws runfair::UserError if the address cannot be listened on. Port 0: a free one.
    Listener(const runfair::Options& options, std::uint16_t port);
    Listener(Listener&& other) noexcept;
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    Listener& operator=(Listener&&) = delete;
    ~Listener();

    std::uint16_t port() const;
    int descriptor() const { return descriptor_; }

private:
    int descriptor_;
};

class Server {
public:
    // `termination` has SIGTERM, which is blocked: the loop ends when it is pending.
    Server(const Listener& listener, const sigset_t& termination);
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server();

    void run();

private:
    struct Connection {
        std::string received;
        std::string unsent;
        std::uint32_t watched = 0;  // the events that epoll reports
    };

    void watch(int descriptor, std::uint32_t events, int operation) const;
    void accept();
    void serve(int descriptor, std::uint32_t events);
    // False once the connection has ended.
    bool read(int descriptor, Connection& connection);
    bool write(int descriptor, Connection& connection) const;

    int listener_;
    int events_;
    int signals_;
    bool stopping_ = false;
    Answers answers_;
    std::unordered_map<int, Connection> connections_;
};

}  // namespace web
