// Connections, each on a thread of its own.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>

#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "session.hpp"
#include "statistics.hpp"
#include "store.hpp"

namespace key_value {

// A descriptor of the system, closed in the end.
class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor();

    int number() const { return number_; }

private:
    int number_;
};

// Serves the connections of an address from one store.
class Server {
public:
    // Listens from now on.
    Server(const runfair::Options& options, Store& store);

    // Serves until SIGTERM; what was counted.
    Counts run(const runfair::Ready& ready);

private:
    std::uint16_t port() const;
    void accept();
    void serve(int connection);
    void leave(int connection);

    Descriptor listening_;
    Store& store_;
    Sections sections_;
    Totals totals_;
    std::mutex mutex_;
    std::condition_variable left_;
    std::set<int> connections_;
};

}  // namespace key_value
