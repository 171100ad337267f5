// Connections, a thread each, until SIGTERM.

#pragma once

#include <dirent.h>
#include <netdb.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "connection.hpp"
#include "counts.hpp"
#include "runfair/execution.hpp"
#include "runfair/options.hpp"

namespace file_server {

// The folder that is served. Throws runfair::UserError.
inline std::string load(const runfair::Options& options) {
    const std::string& input = options.text("input");
    const std::string folder = input + "/files";
    DIR* listed = opendir(folder.c_str());
    if (listed == nullptr) {
        throw runfair::UserError("input " + runfair::quoted(input) +
                                 " cannot be read: " + std::strerror(errno));
    }
    closedir(listed);
    return folder;
}

inline void allow_open_files() {
    constexpr rlim_t wanted = 4096;  // 1,024 connections, each with a file
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < wanted) {
        limit.rlim_cur = std::min(wanted, limit.rlim_max);
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

// A socket that listens. Throws runfair::UserError.
inline int listening(const runfair::Options& options) {
    constexpr int backlog = 4096;  // Linux's own limit (net.core.somaxconn)
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE;
    addrinfo* found = nullptr;
    const int error =
        getaddrinfo(options.text("host").c_str(), options.text("port").c_str(), &hints, &found);
    if (error != 0)
        throw runfair::cannot_listen(options, gai_strerror(error));
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> first(found, freeaddrinfo);
    const int on = 1;
    const int listening = socket(first->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listening < 0 || setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(listening, first->ai_addr, first->ai_addrlen) != 0 ||
        listen(listening, backlog) != 0) {
        throw runfair::cannot_listen(options, std::strerror(errno));
    }
    return listening;
}

inline std::uint16_t port_of(int listening) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    getsockname(listening, reinterpret_cast<sockaddr*>(&address), &length);
    return ntohs(address.ss_family == AF_INET6
                     ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                     : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

// A listening socket and the connections that came from it.
template <class Reader>
class Server {
public:
    Server(std::string folder, int listening) : folder_(std::move(folder)), listening_(listening) {}

    // Takes connections until the server stops.
    void accept() {
        using namespace std::chrono_literals;
        while (true) {
            const int socket = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
            // A client that was gone already, or too many open files.
            if (socket < 0)
                std::this_thread::sleep_for(10ms);
            const std::scoped_lock lock(mutex_);
            if (stopping_) {
                if (socket >= 0)
                    close(socket);
                return;
            }
            if (socket < 0)
                continue;
            conversations_.remove_if([](const Conversation& one) { return one.socket < 0; });
            start(socket);
        }
    }

    // Lets the requests under way be answered, for a while; what was counted.
    Counts stop() {
        constexpr std::chrono::seconds limit(2);
        std::unique_lock lock(mutex_);
        stopping_ = true;
        shutdown(listening_, SHUT_RD);  // wakes the thread that accepts
        shutdown_all(SHUT_RD);          // those that wait for a request find none
        const auto none = [this] { return under_way_ == 0; };
        if (!changed_.wait_for(lock, limit, none)) {
            shutdown_all(SHUT_RDWR);
            changed_.wait(lock, none);
        }
        return counts_;
    }

private:
    // A connection and its thread; the socket is −1 when it is over.
    struct Conversation {
        int socket;
        std::jthread thread;
    };

    void start(int socket) {
        Conversation& conversation = conversations_.emplace_back(Conversation{socket, {}});
        under_way_ += 1;
        try {
            conversation.thread = std::jthread([this, &conversation, socket] {
                Connection<Reader> connection(socket, folder_);
                connection.converse();
                const std::scoped_lock lock(mutex_);
                counts_ += connection.counts();
                end(conversation);
            });
        } catch (const std::system_error&) {
            end(conversation);  // no more threads are to be had
        }
    }

    void end(Conversation& conversation) {
        close(conversation.socket);
        conversation.socket = -1;
        under_way_ -= 1;
        changed_.notify_one();
    }

    void shutdown_all(int how) {
        for (const Conversation& one : conversations_) {
            if (one.socket >= 0)
                shutdown(one.socket, how);
        }
    }

    std::string folder_;
    int listening_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool stopping_ = false;
    std::size_t under_way_ = 0;
    Counts counts_;
    std::list<Conversation> conversations_;
};

// What the programs have in common.
struct Description {
    static constexpr const char* name = "file-server";
    static constexpr std::uint64_t max_threads = std::numeric_limits<std::uint64_t>::max();
};

// Serves until SIGTERM; what was counted. `Reader` says how a file is read.
template <class Reader>
runfair::Counters serve(const runfair::Options& options, const runfair::Ready& ready) {
    // Blocked in this thread and those that it starts, so that it comes to sigwait alone.
    sigset_t termination;
    sigemptyset(&termination);
    sigaddset(&termination, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &termination, nullptr);
    allow_open_files();
    std::string folder = load(options);
    const int socket = listening(options);
    Server<Reader> server(std::move(folder), socket);
    const std::jthread accepting([&server] { server.accept(); });
    ready(port_of(socket));
    int signal = 0;
    sigwait(&termination, &signal);
    const Counts counts = server.stop();
    return {{"requests", counts.requests}, {"body_bytes", counts.body_bytes}};
}

}  // namespace file_server
