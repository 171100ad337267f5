// The suite's own set: a vector without equal elements.

#pragma once

#include <functional>
#include <memory>

#include "vector.hpp"

namespace awfy {

template <class E>
class Set {
public:
    class Identity;

    virtual ~Set() = default;

    int size() const { return items->size(); }

    void add(const E& element) {
        if (!contains(element))
            items->append(element);
    }

    virtual bool contains(const E& element) const {
        return items->has_some([&](const E& item) { return item == element; });
    }

    void for_each(const std::function<void(const E&)>& action) const { items->for_each(action); }

protected:
    const std::unique_ptr<Vector<E>> items = std::make_unique<Vector<E>>();
};

// A set of pointers, in which only the same object is equal.
template <class E>
class Set<E>::Identity final : public Set<E> {
public:
    bool contains(const E& element) const override {
        return this->items->has_some([&](const E& item) { return item == element; });
    }
};

}  // namespace awfy
