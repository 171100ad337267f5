// The suite's own dictionary: a table of lists of entries, which doubles; keys are objects.

#pragma once

#include <memory>
#include <utility>

#include "counts.hpp"

namespace awfy {

class Hashed {
public:
    virtual int hash() const = 0;

protected:
    ~Hashed() = default;
};

template <class K, class V>
class IdentityDictionary {
public:
    // The value of a key, or V().
    const V& get(const K* key) const {
        const int hash = spread(*key);
        const Entry* entry = buckets_[hash & (length_ - 1)].get();
        while (entry != nullptr) {
            counts.elements++;  // tick
            if (entry->hash == hash && entry->key == key)
                return entry->value;
            entry = entry->next.get();
        }
        return none;
    }

    void put(const K* key, V value) {
        const int hash = spread(*key);
        const int place = hash & (length_ - 1);
        Entry* last = nullptr;
        Entry* entry = buckets_[place].get();
        while (entry != nullptr) {
            counts.elements++;  // tick
            if (entry->hash == hash && entry->key == key) {
                entry->value = std::move(value);
                return;
            }
            last = entry;
            entry = entry->next.get();
        }
        auto added = std::make_unique<Entry>(hash, key, std::move(value));
        if (last == nullptr) {
            buckets_[place] = std::move(added);
        } else {
            last->next = std::move(added);
        }
        size_++;
        if (size_ > length_)
            grow();
    }

    void remove_all() {
        buckets_ = std::make_unique<std::unique_ptr<Entry>[]>(length_);
        size_ = 0;
    }

private:
    static constexpr int initial = 16;
    static inline const V none = V();

    struct Entry {
        const int hash;
        const K* const key;
        V value;
        std::unique_ptr<Entry> next;

        Entry(int hash, const K* key, V value) : hash(hash), key(key), value(std::move(value)) {}
    };

    // A list that grows at its end.
    struct Chain {
        std::unique_ptr<Entry> first;
        Entry* last = nullptr;

        void append(std::unique_ptr<Entry> entry) {
            Entry* const added = entry.get();
            if (last == nullptr) {
                first = std::move(entry);
            } else {
                last->next = std::move(entry);
            }
            last = added;
        }
    };

    // Calls the interface and not the key's own class, as dictionaries in the other languages do.
    static int spread(const Hashed& key) {
        const int hash = key.hash();
        return hash ^ (hash >> 16);
    }

    // Entries of a list go to its old place or to one in the upper half, in their order.
    void grow() {
        const auto old = std::move(buckets_);
        const int old_length = length_;
        length_ = 2 * old_length;
        buckets_ = std::make_unique<std::unique_ptr<Entry>[]>(length_);
        for (int i = 0; i < old_length; i++) {
            const auto lower = std::make_unique<Chain>();
            const auto upper = std::make_unique<Chain>();
            auto entry = std::move(old[i]);
            while (entry != nullptr) {
                counts.elements++;  // tick
                auto next = std::move(entry->next);
                ((entry->hash & old_length) == 0 ? lower : upper)->append(std::move(entry));
                entry = std::move(next);
            }
            buckets_[i] = std::move(lower->first);
            buckets_[i + old_length] = std::move(upper->first);
        }
    }

    int length_ = initial;
    std::unique_ptr<std::unique_ptr<Entry>[]> buckets_ =
        std::make_unique<std::unique_ptr<Entry>[]>(initial);
    int size_ = 0;
};

}  // namespace awfy
