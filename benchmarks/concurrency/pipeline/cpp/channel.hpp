// What one task sends values to another through.

#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

// It unlocks the mutex before it wakes a task, which would otherwise have to wait for the mutex.
class Channel {
public:
    // One of capacity 0 holds a value no longer than it takes to hand it over.
    explicit Channel(std::size_t capacity) : capacity_(capacity) {}

    void send(std::uint32_t value) {
        std::unique_lock lock(mutex_);
        taken_.wait(lock, [this] { return values_.size() < std::max<std::size_t>(capacity_, 1); });
        values_.push_back(value);
        lock.unlock();
        sent_.notify_one();
        if (capacity_ == 0) {
            lock.lock();
            taken_.wait(lock, [this] { return values_.empty(); });
        }
    }

    std::uint32_t receive() {
        std::unique_lock lock(mutex_);
        sent_.wait(lock, [this] { return !values_.empty(); });
        const std::uint32_t value = values_.front();
        values_.pop_front();
        lock.unlock();
        taken_.notify_one();
        return value;
    }

private:
    const std::size_t capacity_;
    std::mutex mutex_;
    std::condition_variable sent_;
    std::condition_variable taken_;
    std::deque<std::uint32_t> values_;
};
