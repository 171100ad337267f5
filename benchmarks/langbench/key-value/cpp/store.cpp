#include "store.hpp"

#include "runfair/primitives.hpp"

namespace key_value {

std::unique_ptr<Node> Row::unlink(std::unique_ptr<Node>& link) {
    std::unique_ptr<Node> node = std::move(link);
    link = std::move(node->next);
    length -= 1;
    return node;
}

void Row::clear() {
    // One after the other: a node that took the next with it would recurse over the whole list.
    while (first != nullptr)
        unlink(first);
}

bool Store::set(std::string&& key, std::string&& value, Statistics& statistics) {
    const std::size_t start = index(key);
    if (capacity_bytes_ > 0) {
        if (value.size() > capacity_bytes_)
            return false;
        used_bytes_ += value.size();
        while (used_bytes_ > capacity_bytes_ && evict(start, statistics)) {
        }
    }
    Row& row = rows_[start];
    {
        const std::lock_guard lock(row.mutex);
        std::unique_ptr<Node>& link = find(row, key, statistics);
        if (link == nullptr) {
            link = std::make_unique<Node>(std::move(key), std::move(value));
            row.length += 1;
            return true;
        }
        // The old value is freed by the caller, after the lock.
        std::swap(link->value, value);
    }
    if (capacity_bytes_ > 0)
        used_bytes_ -= value.size();
    return true;
}

bool Store::evict(std::size_t start, Statistics& statistics) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        Row& row = rows_[(start + i) % rows_.size()];
        const std::lock_guard lock(row.mutex);
        if (row.first != nullptr) {
            statistics.evictions++;
            used_bytes_ -= row.unlink(row.first)->value.size();
            return true;
        }
    }
    return false;
}

bool Store::remove(std::string_view key, Statistics& statistics) {
    Row& row = rows_[index(key)];
    const std::lock_guard lock(row.mutex);
    std::unique_ptr<Node>& link = find(row, key, statistics);
    if (link == nullptr)
        return false;
    const auto node = row.unlink(link);
    if (capacity_bytes_ > 0)
        used_bytes_ -= node->value.size();
    return true;
}

void Store::clear() {
    for (Row& row : rows_) {
        const std::lock_guard lock(row.mutex);
        if (capacity_bytes_ > 0) {
            for (const Node* node = row.first.get(); node != nullptr; node = node->next.get())
                used_bytes_ -= node->value.size();
        }
        row.clear();
    }
}

std::size_t Store::entries() {
    std::size_t total = 0;
    for (Row& row : rows_) {
        const std::lock_guard lock(row.mutex);
        total += row.length;
    }
    return total;
}

std::uint64_t Store::digest() {
    std::uint64_t total = 0;
    for (Row& row : rows_) {
        const std::lock_guard lock(row.mutex);
        for (const Node* node = row.first.get(); node != nullptr; node = node->next.get()) {
            runfair::Fnv1a hash;
            hash.add(node->key);
            hash.add(std::string_view("\0", 1));
            hash.add(node->value);
            total += hash.value;
        }
    }
    return total;
}

std::vector<std::uint64_t> Store::distances() {
    std::vector<std::uint64_t> all;
    for (Row& row : rows_) {
        const std::lock_guard lock(row.mutex);
        for (const Node* node = row.first.get(); node != nullptr; node = node->next.get()) {
            const auto here = reinterpret_cast<std::uintptr_t>(node);
            const auto there = reinterpret_cast<std::uintptr_t>(node->next.get());
            if (there != 0)
                all.push_back(here < there ? there - here : here - there);
        }
    }
    return all;
}

std::size_t Store::index(std::string_view key) const {
    runfair::Fnv1a hash;
    hash.add(key);
    return hash.value % rows_.size();
}

std::unique_ptr<Node>& Store::find(Row& row, std::string_view key, Statistics& statistics) {
    std::unique_ptr<Node>* link = &row.first;
    while (*link != nullptr) {
        statistics.chain_steps++;  // tick
        if ((*link)->key == key)
            break;
        link = &(*link)->next;
    }
    return *link;
}

}  // namespace key_value
