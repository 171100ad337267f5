// Coroutines on a pool of asio's threads: how they end, and what they wait for.

#pragma once

#include <atomic>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/experimental/concurrent_channel.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/error_code.hpp>
#include <cstdint>
#include <exception>
#include <memory>

namespace coroutines {

namespace asio = boost::asio;

// A channel whose messages have no content.
using Tokens = asio::experimental::concurrent_channel<void(boost::system::error_code)>;

// What co_spawn() calls when a coroutine has ended. If the coroutine failed, the program ends.
template <class Running>
auto ended(Running& running) {
    return [&running](const std::exception_ptr& failure) {
        if (failure)
            std::rethrow_exception(failure);
        running.count_down();
    };
}

// Lets one coroutine wait for others. The coroutine that has waited may destroy the latch, also
// while try_send() still holds the channel's mutex: the last to count down keeps the channel.
class Latch {
public:
    Latch(asio::thread_pool& pool, std::uint64_t count)
        : left_(count), open_(std::make_shared<Tokens>(pool, 1)) {}

    void count_down() {
        if (--left_ == 0)
            std::shared_ptr<Tokens>(open_)->try_send(boost::system::error_code());
    }

    asio::awaitable<void> wait() { return open_->async_receive(asio::use_awaitable); }

private:
    std::atomic<std::uint64_t> left_;
    std::shared_ptr<Tokens> open_;  // has a token when all have counted down
};

// Lets any number of coroutines wait until it is opened.
class Gate {
public:
    explicit Gate(asio::thread_pool& pool) : channel_(pool) {}

    auto pass() { return channel_.async_receive(asio::as_tuple(asio::use_awaitable)); }
    void open() { channel_.close(); }

private:
    Tokens channel_;  // nothing is sent: a receive operation ends when the channel is closed
};

}  // namespace coroutines
