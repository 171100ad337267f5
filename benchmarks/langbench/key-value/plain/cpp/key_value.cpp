// A server of keys and values, written from the contract alone; see
// langbench/key-value/contract.md. A connection is a thread.

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
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
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "counts.hpp"
#include "requests.hpp"
#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "session.hpp"
#include "store.hpp"

namespace plain {

constexpr int backlog = 4096;  // Linux's own limit (net.core.somaxconn)
constexpr std::chrono::seconds leave_limit(1);
constexpr std::chrono::milliseconds shortage_pause(10);

int listening_socket(const runfair::Options& options) {
    addrinfo* address = nullptr;
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    const int unknown =
        ::getaddrinfo(options.text("host").c_str(), options.text("port").c_str(), &hints, &address);
    if (unknown != 0)
        throw runfair::cannot_listen(options, ::gai_strerror(unknown));
    const int listening = ::socket(address->ai_family, SOCK_STREAM, 0);
    const int on = 1;
    ::setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (::bind(listening, address->ai_addr, address->ai_addrlen) < 0 ||
        ::listen(listening, backlog) < 0)
        throw runfair::cannot_listen(options, std::generic_category().message(errno));
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

std::unique_ptr<Store> new_store(const runfair::Options& options) {
    const std::string& workload = options.text("workload");
    const std::uint64_t keys = options.number("keys");
    std::uint64_t rows = options.number("rows");
    std::uint64_t capacity = options.number("capacity_bytes");
    if (rows == 0) {
        rows = workload == "spread" ? 1 : 1024;
        while (workload == "spread" && rows < keys)
            rows *= 2;
    }
    if (capacity == 0 && workload == "capped")
        capacity = std::max<std::uint64_t>(1, keys * options.number("value_bytes") * 3 / 4);
    return std::make_unique<Store>(rows, capacity);
}

class Server {
public:
    explicit Server(const runfair::Options& options)
        : store_(new_store(options)),
          counting_(options.has("count")),
          listening_(listening_socket(options)) {}

    // Serves until SIGTERM.
    runfair::Counters run(const runfair::Ready& ready) {
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
        stop();
        Counts sum;
        add_all(sum);
        return sum.counters(store_->entries());
    }

private:
    void accept() {
        while (true) {
            const int connection = ::accept(listening_, nullptr, nullptr);
            if (connection >= 0)
                begin(connection);
            else if (errno == EINVAL)  // shut down
                return;
            else
                std::this_thread::sleep_for(shortage_pause);  // too many files are open
        }
    }

    void begin(int connection) {
        {
            const std::lock_guard lock(mutex_);
            sessions_.emplace(connection, nullptr);
        }
        try {
            std::thread([this, connection] { serve(connection); }).detach();
        } catch (const std::system_error&) {  // no thread can be started
            const std::lock_guard lock(mutex_);
            end(connection);
        }
    }

    void serve(int connection) {
        const int on = 1;
        ::setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        Session session(*store_, counting_, [this](Counts& sum) { add_all(sum); });
        {
            const std::lock_guard lock(mutex_);
            sessions_[connection] = &session;
        }
        try {
            converse(connection, session);
        } catch (const ConnectionEnded&) {
            // A reset by the client is an end like any other.
        }
        const std::lock_guard lock(mutex_);
        ended_.add(session.counts);
        end(connection);
    }

    // To be called with the lock held: the number may be another connection's at once.
    void end(int connection) {
        sessions_.erase(connection);
        ::close(connection);
        left_.notify_one();
    }

    static void converse(int connection, Session& session) {
        Requests requests(connection);
        try {
            while (session.open) {
                const Words words = requests.next();
                if (!words.empty())
                    send(connection, session.reply(words));
            }
        } catch (const ProtocolError& mistake) {
            send(connection, error("ERR Protocol error: " + mistake.text));
        }
    }

    static void send(int connection, std::string_view reply) {
        while (!reply.empty()) {
            const ssize_t sent = ::send(connection, reply.data(), reply.size(), MSG_NOSIGNAL);
            if (sent < 0 && errno != EINTR)
                throw ConnectionEnded();
            reply.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
        }
    }

    // Adds the counts of all connections, open and closed.
    void add_all(Counts& sum) {
        const std::lock_guard lock(mutex_);
        sum.add(ended_);
        for (const auto& [connection, session] : sessions_) {
            if (session != nullptr)
                sum.add(session->counts);
        }
    }

    void stop() {
        std::unique_lock lock(mutex_);
        shut_down(SHUT_RD);
        const auto all_left = [this] { return sessions_.empty(); };
        if (!left_.wait_for(lock, leave_limit, all_left)) {
            shut_down(SHUT_RDWR);
            left_.wait(lock, all_left);
        }
    }

    void shut_down(int how) {
        for (const auto& [connection, session] : sessions_)
            ::shutdown(connection, how);
    }

    std::unique_ptr<Store> store_;
    bool counting_;
    int listening_;
    std::mutex mutex_;
    std::condition_variable left_;
    std::map<int, Session*> sessions_;  // by the numbers of their connections
    Counts ended_;
};

struct KeyValue {
    static constexpr const char* name = "key-value";
    static constexpr const char* tier = "plain";
    static constexpr std::uint64_t max_threads = std::numeric_limits<std::uint64_t>::max();

    static runfair::Counters serve(const runfair::Options& options, const runfair::Ready& ready) {
        return Server(options).run(ready);
    }
};

}  // namespace plain

int main(int argc, char** argv) {
    return runfair::main<plain::KeyValue>(argc, argv);
}
