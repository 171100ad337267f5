// A file server, written from the contract alone; see langbench/file-server/contract.md. A
// connection is a thread.

#include <dirent.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <limits>
#include <mutex>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "connection.hpp"
#include "response.hpp"
#include "runfair/execution.hpp"
#include "runfair/options.hpp"

namespace plain {

constexpr int backlog = 4096;  // Linux's own limit (net.core.somaxconn)
constexpr std::chrono::seconds stop_limit(2);
constexpr std::chrono::milliseconds shortage_pause(10);

std::string folder_of(const runfair::Options& options) {
    const std::string& input = options.text("input");
    DIR* folder = ::opendir((input + "/files").c_str());
    if (folder == nullptr) {
        throw runfair::UserError("input " + runfair::quoted(input) +
                                 " cannot be read: " + std::strerror(errno));
    }
    ::closedir(folder);
    return input + "/files";
}

int listening_socket(const runfair::Options& options) {
    addrinfo* address = nullptr;
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    const int unknown =
        ::getaddrinfo(options.text("host").c_str(), options.text("port").c_str(), &hints, &address);
    if (unknown != 0)
        throw runfair::cannot_listen(options, ::gai_strerror(unknown));
    const int listening = ::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ::setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (::bind(listening, address->ai_addr, address->ai_addrlen) < 0 ||
        ::listen(listening, backlog) < 0)
        throw runfair::cannot_listen(options, std::strerror(errno));
    ::freeaddrinfo(address);
    return listening;
}

std::uint16_t port_of(int listening) {
    sockaddr_storage bound{};
    socklen_t length = sizeof bound;
    ::getsockname(listening, reinterpret_cast<sockaddr*>(&bound), &length);
    // The port is at the same place in the addresses of both families.
    return ntohs(reinterpret_cast<sockaddr_in&>(bound).sin_port);
}

class Server {
public:
    Server(std::string folder, int listening) : folder_(std::move(folder)), listening_(listening) {}

    // Serves until SIGTERM.
    Counts run(const runfair::Ready& ready) {
        rlimit limit{};
        ::getrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit);
        sigset_t signals;
        sigemptyset(&signals);
        sigaddset(&signals, SIGTERM);
        ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
        std::thread accepting([this] { accept(); });
        ready(port_of(listening_));
        int signal = 0;
        sigwait(&signals, &signal);
        ::shutdown(listening_, SHUT_RDWR);
        accepting.join();
        std::unique_lock lock(mutex_);
        shut_down(SHUT_RD);
        const auto all_left = [this] { return clients_.empty(); };
        if (!left_.wait_for(lock, stop_limit, all_left)) {
            shut_down(SHUT_RDWR);
            left_.wait(lock, all_left);
        }
        return ended_;
    }

private:
    void accept() {
        while (true) {
            const int client = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
            if (client >= 0)
                begin(client);
            else if (errno == EINVAL)  // shut down
                return;
            else
                std::this_thread::sleep_for(shortage_pause);  // too many files are open
        }
    }

    void begin(int client) {
        {
            const std::lock_guard lock(mutex_);
            clients_.insert(client);
        }
        try {
            std::thread([this, client] { serve(client); }).detach();
        } catch (const std::system_error&) {
            end(client, Counts());  // no thread can be started
        }
    }

    void serve(int client) {
        const int on = 1;
        ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        Counts counts;
        try {
            Connection(client, folder_, counts).converse();
        } catch (const ClientLeft&) {
            // It is a normal end.
        }
        end(client, counts);
    }

    // Closes the connection under the lock: its number may be another connection's at once.
    void end(int client, const Counts& counts) {
        const std::lock_guard lock(mutex_);
        ended_.requests += counts.requests;
        ended_.body_bytes += counts.body_bytes;
        clients_.erase(client);
        ::close(client);
        left_.notify_one();
    }

    void shut_down(int how) {
        for (const int client : clients_)
            ::shutdown(client, how);
    }

    std::string folder_;
    int listening_;
    std::mutex mutex_;
    std::condition_variable left_;
    std::set<int> clients_;
    Counts ended_;
};

struct FileServer {
    static constexpr const char* name = "file-server";
    static constexpr const char* tier = "plain";
    static constexpr std::uint64_t max_threads = std::numeric_limits<std::uint64_t>::max();

    static runfair::Counters serve(const runfair::Options& options, const runfair::Ready& ready) {
        std::string folder = folder_of(options);
        const Counts counts = Server(std::move(folder), listening_socket(options)).run(ready);
        return {{"requests", counts.requests}, {"body_bytes", counts.body_bytes}};
    }
};

}  // namespace plain

int main(int argc, char** argv) {
    return runfair::main<plain::FileServer>(argc, argv);
}
