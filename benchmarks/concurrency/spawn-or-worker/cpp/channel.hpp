// What pieces of work are sent to workers through.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

// It unlocks the mutex before it wakes a task, which would otherwise have to wait for the mutex.
class Channel {
public:
    explicit Channel(std::size_t capacity) : capacity_(capacity) {}

    void send(std::uint64_t piece) {
        std::unique_lock lock(mutex_);
        taken_.wait(lock, [this] { return pieces_.size() < capacity_; });
        pieces_.push_back(piece);
        lock.unlock();
        sent_.notify_one();
    }

    std::uint64_t receive() {
        std::unique_lock lock(mutex_);
        sent_.wait(lock, [this] { return !pieces_.empty(); });
        const std::uint64_t piece = pieces_.front();
        pieces_.pop_front();
        lock.unlock();
        taken_.notify_one();
        return piece;
    }

private:
    const std::size_t capacity_;
    std::mutex mutex_;
    std::condition_variable sent_;
    std::condition_variable taken_;
    std::deque<std::uint64_t> pieces_;
};
