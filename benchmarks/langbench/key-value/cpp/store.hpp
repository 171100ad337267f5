// Rows of linked nodes, each row under a lock of its own.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "statistics.hpp"

namespace key_value {

// An entry, and the one that came into the row after it.
struct Node {
    Node(std::string&& new_key, std::string&& new_value)
        : key(std::move(new_key)), value(std::move(new_value)) {}

    std::string key;
    std::string value;
    std::unique_ptr<Node> next;
};

// A linked list of nodes, the oldest first.
struct Row {
    Row() = default;
    Row(const Row&) = delete;
    Row& operator=(const Row&) = delete;
    ~Row() { clear(); }

    // Gives the node up that `link` leads to.
    std::unique_ptr<Node> unlink(std::unique_ptr<Node>& link);
    void clear();

    std::mutex mutex;
    std::unique_ptr<Node> first;
    std::size_t length = 0;
};

// The table. `statistics` are those of the connection that asks.
class Store {
public:
    // No capacity, 0, is room for everything.
    Store(std::size_t rows, std::uint64_t capacity_bytes)
        : rows_(rows), capacity_bytes_(capacity_bytes) {}

    std::size_t rows() const { return rows_.size(); }
    std::uint64_t capacity_bytes() const { return capacity_bytes_; }

    // Has `use` look at the value, if there is one, while its row is locked.
    template <class Use>
    bool get(std::string_view key, Statistics& statistics, Use use) {
        Row& row = rows_[index(key)];
        const std::lock_guard lock(row.mutex);
        const Node* node = find(row, key, statistics).get();
        if (node != nullptr)
            use(node->value);
        return node != nullptr;
    }

    // Takes key and value over; false where the value is longer than all of the room.
    bool set(std::string&& key, std::string&& value, Statistics& statistics);

    // Whether there was such an entry.
    bool remove(std::string_view key, Statistics& statistics);

    void clear();
    std::size_t entries();
    std::uint64_t digest();

    // Between the addresses of neighbours.
    std::vector<std::uint64_t> distances();

private:
    std::size_t index(std::string_view key) const;

    // What leads to the node with that key, or to where it is to be appended.
    static std::unique_ptr<Node>& find(Row& row, std::string_view key, Statistics& statistics);

    // Lets the oldest entry of the first row go that has one; whether there was one.
    bool evict(std::size_t start, Statistics& statistics);

    std::vector<Row> rows_;
    std::uint64_t capacity_bytes_;
    std::atomic<std::uint64_t> used_bytes_ = 0;
};

}  // namespace key_value
