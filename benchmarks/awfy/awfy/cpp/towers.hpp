// The towers of Hanoi with 13 disks.

#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>

#include "benchmark.hpp"
#include "counts.hpp"

namespace awfy {

class Towers final : public Benchmark {
public:
    std::int64_t once() override {
        piles_ = std::make_unique<std::unique_ptr<Disk>[]>(3);
        for (int size = disks; size >= 0; size--)
            push(std::make_unique<Disk>(size), 0);
        moves_ = 0;
        move(disks, 0, 1);
        return moves_;
    }

private:
    static constexpr int disks = 13;

    struct Disk {
        const int size;
        std::unique_ptr<Disk> next;

        explicit Disk(int size) : size(size) {}
    };

    void push(std::unique_ptr<Disk> disk, int pile) {
        auto top = std::move(piles_[pile]);
        if (top != nullptr && disk->size >= top->size)
            throw std::logic_error("a big disk on a smaller one");
        disk->next = std::move(top);
        piles_[pile] = std::move(disk);
    }

    std::unique_ptr<Disk> pop(int pile) {
        auto top = std::move(piles_[pile]);
        if (top == nullptr)
            throw std::logic_error("no disk on this pile");
        piles_[pile] = std::move(top->next);
        return top;
    }

    void move_top(int from, int to) {
        push(pop(from), to);
        moves_++;
    }

    void move(int disks, int from, int to) {
        counts.steps++;  // tick
        if (disks == 1) {
            move_top(from, to);
            return;
        }
        const int third = 3 - from - to;
        move(disks - 1, from, third);
        move_top(from, to);
        move(disks - 1, third, to);
    }

    std::unique_ptr<std::unique_ptr<Disk>[]> piles_;
    int moves_ = 0;
};

}  // namespace awfy
