// The suite's own array that grows.

#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "counts.hpp"

namespace awfy {

// E is a pointer, which may own its object, or a number; E() is none.
template <class E>
class Vector {
public:
    int size() const { return end_ - first_; }

    bool is_empty() const { return first_ == end_; }

    // An element, or none if there is none at that place.
    const E& at(int index) const { return index < size() ? storage_[first_ + index] : none; }

    void append(E element) {
        counts.elements++;  // tick
        reserve(end_);
        storage_[end_] = std::move(element);
        end_++;
    }

    // Puts an element at a place at which there is one, or just after the last one.
    void put(int index, E element) {
        counts.elements++;  // tick
        reserve(first_ + index);
        storage_[first_ + index] = std::move(element);
        end_ = std::max(end_, first_ + index + 1);
    }

    // None if the vector is empty.
    E remove_first() {
        if (is_empty())
            return E();
        counts.elements++;  // tick
        first_++;
        return std::move(storage_[first_ - 1]);
    }

    // Removes the element, by identity; whether it was there.
    bool remove(const E& element) {
        auto kept = std::make_unique<E[]>(length_);
        int length = 0;
        bool found = false;
        for (int i = first_; i < end_; i++) {
            counts.elements++;  // tick
            if (storage_[i] == element) {
                found = true;
            } else {
                kept[length] = std::move(storage_[i]);
                length++;
            }
        }
        storage_ = std::move(kept);
        first_ = 0;
        end_ = length;
        return found;
    }

    void remove_all() {
        storage_ = std::make_unique<E[]>(length_);
        first_ = 0;
        end_ = 0;
    }

    void for_each(const std::function<void(const E&)>& action) const {
        for (int i = first_; i < end_; i++) {
            counts.elements++;  // tick
            action(storage_[i]);
        }
    }

    bool has_some(const std::function<bool(const E&)>& condition) const {
        for (int i = first_; i < end_; i++) {
            counts.elements++;  // tick
            if (condition(storage_[i]))
                return true;
        }
        return false;
    }

    // Puts the elements in order, by insertion; equal ones stay in theirs.
    void sort(const std::function<bool(const E&, const E&)>& is_before) {
        for (int i = first_ + 1; i < end_; i++) {
            E element = std::move(storage_[i]);
            int place = i;
            while (place > first_ && is_before(element, storage_[place - 1])) {
                counts.elements++;  // tick
                storage_[place] = std::move(storage_[place - 1]);
                place--;
            }
            storage_[place] = std::move(element);
        }
    }

private:
    static constexpr int initial = 10;
    static inline const E none = E();

    void reserve(int place) {
        if (place == length_) {
            const int length = place == 0 ? initial : 2 * place;
            auto larger = std::make_unique<E[]>(length);
            for (int i = first_; i < end_; i++) {
                counts.elements++;  // tick
                larger[i] = std::move(storage_[i]);
            }
            storage_ = std::move(larger);
            length_ = length;
        }
    }

    std::unique_ptr<E[]> storage_ = std::make_unique<E[]>(0);  // as in Java, an array of its own
    int length_ = 0;                                           // of the storage
    int first_ = 0;
    int end_ = 0;
};

}  // namespace awfy
