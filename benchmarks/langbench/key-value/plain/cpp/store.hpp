// The contract's table: rows of linked nodes, each row with a lock.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "counts.hpp"
#include "runfair/primitives.hpp"

namespace plain {

struct Node {
    std::string key;
    std::string value;
    std::unique_ptr<Node> next;
};

struct Row {
    std::mutex mutex;
    std::unique_ptr<Node> first;
};

class Store {
public:
    Store(std::size_t rows, std::uint64_t capacity_bytes) : capacity(capacity_bytes), rows_(rows) {}
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;
    ~Store() { clear(); }  // node by node: a node that ends with its successors recurses

    const std::uint64_t capacity;  // 0: everything has room

    std::size_t rows() const { return rows_.size(); }

    std::optional<std::string> get(const std::string& key, Counts& counts) {
        Row& row = rows_[index(key)];
        const std::lock_guard lock(row.mutex);
        const std::unique_ptr<Node>& node = find(row, key, counts);
        if (node == nullptr)
            return std::nullopt;
        return node->value;
    }

    // Returns false if the value is longer than the capacity.
    bool set(const std::string& key, const std::string& value, Counts& counts) {
        const std::size_t start = index(key);
        if (capacity > 0) {
            if (value.size() > capacity)
                return false;
            used_ += value.size();
            while (used_ > capacity && evict(start, counts)) {
            }
        }
        Row& row = rows_[start];
        const std::lock_guard lock(row.mutex);
        std::unique_ptr<Node>& node = find(row, key, counts);
        if (node == nullptr) {
            node = std::make_unique<Node>(Node{key, value, nullptr});
        } else {
            free(*node);
            node->value = value;
        }
        return true;
    }

    // Returns whether there was such an entry.
    bool remove(const std::string& key, Counts& counts) {
        Row& row = rows_[index(key)];
        const std::lock_guard lock(row.mutex);
        std::unique_ptr<Node>& node = find(row, key, counts);
        if (node == nullptr)
            return false;
        unlink(node);
        return true;
    }

    void clear() {
        for (Row& row : rows_) {
            const std::lock_guard lock(row.mutex);
            while (row.first != nullptr)
                unlink(row.first);
        }
    }

    std::size_t entries() {
        std::size_t entries = 0;
        each([&entries](const Node&) { entries++; });
        return entries;
    }

    std::uint64_t digest() {
        std::uint64_t sum = 0;
        each([&sum](const Node& node) {
            runfair::Fnv1a hash;
            hash.add(node.key);
            hash.add(std::string_view("\0", 1));
            hash.add(node.value);
            sum += hash.value;
        });
        return sum;
    }

private:
    std::size_t index(const std::string& key) const {
        runfair::Fnv1a hash;
        hash.add(key);
        return hash.value % rows_.size();
    }

    // The link to the node with that key, or the link at the end of the row.
    static std::unique_ptr<Node>& find(Row& row, const std::string& key, Counts& counts) {
        std::unique_ptr<Node>* link = &row.first;
        while (*link != nullptr) {
            counts.chain_steps++;  // tick
            if ((*link)->key == key)
                break;
            link = &(*link)->next;
        }
        return *link;
    }

    // Returns whether there was an entry to evict.
    bool evict(std::size_t start, Counts& counts) {
        for (std::size_t i = 0; i < rows_.size(); i++) {
            Row& row = rows_[(start + i) % rows_.size()];
            const std::lock_guard lock(row.mutex);
            if (row.first != nullptr) {
                unlink(row.first);
                counts.evictions++;
                return true;
            }
        }
        return false;
    }

    void unlink(std::unique_ptr<Node>& link) {
        const std::unique_ptr<Node> node = std::move(link);
        link = std::move(node->next);
        free(*node);
    }

    void free(const Node& node) {
        if (capacity > 0)
            used_ -= node.value.size();
    }

    template <class Visit>
    void each(Visit visit) {
        for (Row& row : rows_) {
            const std::lock_guard lock(row.mutex);
            for (const Node* node = row.first.get(); node != nullptr; node = node->next.get())
                visit(*node);
        }
    }

    std::vector<Row> rows_;
    std::atomic<std::uint64_t> used_ = 0;
};

}  // namespace plain
