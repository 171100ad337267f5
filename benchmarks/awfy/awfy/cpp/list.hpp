// Takeuchi's function on the lengths of linked lists.

#pragma once

#include <cstdint>
#include <memory>

#include "benchmark.hpp"
#include "counts.hpp"

namespace awfy {

class List final : public Benchmark {
public:
    std::int64_t once() override {
        const auto x = make(15);
        const auto y = make(10);
        const auto z = make(6);
        return tail(x.get(), y.get(), z.get())->length();
    }

private:
    struct Element {
        std::unique_ptr<Element> next;

        int length() const {
            counts.steps++;  // tick
            return next == nullptr ? 1 : 1 + next->length();
        }
    };

    static std::unique_ptr<Element> make(int length) {
        if (length == 0)
            return nullptr;
        auto element = std::make_unique<Element>();
        element->next = make(length - 1);
        return element;
    }

    static bool is_shorter(const Element* one, const Element* other) {
        const Element* x = one;
        for (const Element* y = other; y != nullptr; y = y->next.get()) {
            if (x == nullptr)
                return true;
            x = x->next.get();
        }
        return false;
    }

    static const Element* tail(const Element* x, const Element* y, const Element* z) {
        counts.steps++;  // tick
        if (is_shorter(y, x)) {
            return tail(tail(x->next.get(), y, z), tail(y->next.get(), z, x),
                        tail(z->next.get(), x, y));
        }
        return z;
    }
};

}  // namespace awfy
