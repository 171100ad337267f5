// An operating system's scheduler, whose tasks send packets to each other.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "benchmark.hpp"
#include "counts.hpp"

namespace awfy {

class Richards final : public Benchmark {
public:
    std::int64_t once() override {
        const auto scheduler = std::make_unique<Scheduler>();
        scheduler->add_idler(idler, 0, nullptr, *std::make_unique<State>(false, false));
        auto work = std::make_unique<Packet>(std::make_unique<Packet>(nullptr, worker, Kind::work),
                                             worker, Kind::work);
        scheduler->add_worker(worker, 1000, std::move(work), *std::make_unique<State>(true, true));
        scheduler->add_handler(handler_a, 2000, device_packets(device_a),
                               *std::make_unique<State>(true, true));
        scheduler->add_handler(handler_b, 3000, device_packets(device_b),
                               *std::make_unique<State>(true, true));
        scheduler->add_device(device_a, 4000, nullptr, *std::make_unique<State>(false, true));
        scheduler->add_device(device_b, 5000, nullptr, *std::make_unique<State>(false, true));
        scheduler->schedule();
        return scheduler->queued * 10'000 + scheduler->held;
    }

private:
    // Identities of the tasks.
    static constexpr int idler = 0, worker = 1;
    static constexpr int handler_a = 2, handler_b = 3, device_a = 4, device_b = 5;
    static constexpr int tasks = 6;
    static constexpr int packet_data = 4;
    static constexpr int letters = 26;

    // What a packet asks for.
    enum class Kind { device, work };

    struct Packet;

    // A packet, which owns the packets behind it in its queue; or none.
    using Packets = std::unique_ptr<Packet>;

    struct Packet {
        Packets next;
        int identity;
        const Kind kind;
        int datum = 0;
        const std::unique_ptr<int[]> data = std::make_unique<int[]>(packet_data);

        Packet(Packets next, int identity, Kind kind)
            : next(std::move(next)), identity(identity), kind(kind) {}

        // The queue with this packet as its last.
        static Packets appended(Packets packet, Packets queue) {
            packet->next = nullptr;
            if (queue == nullptr)
                return packet;
            Packet* last = queue.get();
            while (last->next != nullptr)
                last = last->next.get();
            last->next = std::move(packet);
            return queue;
        }
    };

    static Packets device_packets(int device) {
        auto first = std::make_unique<Packet>(nullptr, device, Kind::device);
        return std::make_unique<Packet>(
            std::make_unique<Packet>(std::move(first), device, Kind::device), device, Kind::device);
    }

    // Whether a task has packets, waits, or is held.
    struct State {
        bool packet_pending;
        bool waiting;
        bool held = false;

        State(bool packet_pending, bool waiting)
            : packet_pending(packet_pending), waiting(waiting) {}

        void become_running(bool pending) {
            packet_pending = pending;
            waiting = false;
            held = false;
        }

        bool is_held_or_waiting() const { return held || (!packet_pending && waiting); }

        bool is_waiting_with_packet() const { return packet_pending && waiting && !held; }
    };

    struct Task;

    // What a task does with a packet, or without one; the task that is next.
    using Work = std::function<Task*(Packets packet)>;

    struct Task final : State {
        const std::unique_ptr<Task> next;
        const int identity;
        const int priority;

        Task(std::unique_ptr<Task> next, int identity, int priority, Packets input,
             const State& state, Work work)
            : State(state.packet_pending, state.waiting),
              next(std::move(next)),
              identity(identity),
              priority(priority),
              input(std::move(input)),
              work(std::move(work)) {}

        // Adds a packet to this task's queue. Returns the task that runs next: this or the other.
        Task* accept(Packets packet, Task* other) {
            if (input != nullptr) {
                input = Packet::appended(std::move(packet), std::move(input));
                return other;
            }
            input = std::move(packet);
            packet_pending = true;
            return priority > other->priority ? this : other;
        }

        Task* run() {
            Packets message;
            if (is_waiting_with_packet()) {
                message = std::move(input);
                input = std::move(message->next);
                become_running(input != nullptr);
            }
            return work(std::move(message));
        }

    private:
        Packets input;
        const Work work;
    };

    struct Idle {
        int control = 1;
        int count = 10'000;
    };

    struct Working {
        int destination = handler_a;
        int count = 0;
    };

    struct Handling {
        Packets work;
        Packets device;
    };

    struct Pending {
        Packets packet;
    };

    // What a task's closure uses is shared: a std::function copies what it captures.
    class Scheduler {
    public:
        std::int64_t queued = 0, held = 0;

        void add_idler(int identity, int priority, Packets queue, const State& state) {
            const auto idle = std::make_shared<Idle>();
            add(identity, priority, std::move(queue), state, [this, idle](Packets) {
                idle->count--;
                if (idle->count == 0)
                    return hold();
                if ((idle->control & 1) == 0) {
                    idle->control /= 2;
                    return release(device_a);
                }
                idle->control = (idle->control / 2) ^ 53256;
                return release(device_b);
            });
        }

        void add_worker(int identity, int priority, Packets queue, const State& state) {
            const auto working = std::make_shared<Working>();
            add(identity, priority, std::move(queue), state, [this, working](Packets packet) {
                if (packet == nullptr)
                    return await();
                working->destination = working->destination == handler_a ? handler_b : handler_a;
                packet->identity = working->destination;
                packet->datum = 0;
                for (int i = 0; i < packet_data; i++) {
                    working->count++;
                    if (working->count > letters)
                        working->count = 1;
                    packet->data[i] = 'A' + working->count - 1;
                }
                return this->queue(std::move(packet));
            });
        }

        void add_handler(int identity, int priority, Packets queue, const State& state) {
            const auto handling = std::make_shared<Handling>();
            add(identity, priority, std::move(queue), state, [this, handling](Packets packet) {
                if (packet != nullptr) {
                    auto& same = packet->kind == Kind::work ? handling->work : handling->device;
                    same = Packet::appended(std::move(packet), std::move(same));
                }
                if (handling->work == nullptr)
                    return await();
                const int datum = handling->work->datum;
                if (datum >= packet_data) {
                    auto work = std::move(handling->work);
                    handling->work = std::move(work->next);
                    return this->queue(std::move(work));
                }
                if (handling->device == nullptr)
                    return await();
                auto device = std::move(handling->device);
                handling->device = std::move(device->next);
                device->datum = handling->work->data[datum];
                handling->work->datum = datum + 1;
                return this->queue(std::move(device));
            });
        }

        void add_device(int identity, int priority, Packets queue, const State& state) {
            const auto pending = std::make_shared<Pending>();
            add(identity, priority, std::move(queue), state, [this, pending](Packets packet) {
                if (packet != nullptr) {
                    pending->packet = std::move(packet);
                    return hold();
                }
                if (pending->packet == nullptr)
                    return await();
                return this->queue(std::move(pending->packet));
            });
        }

        void schedule() {
            current_ = tasks_.get();
            while (current_ != nullptr) {
                counts.steps++;  // tick
                if (current_->is_held_or_waiting()) {
                    current_ = current_->next.get();
                } else {
                    identity_ = current_->identity;
                    current_ = current_->run();
                }
            }
        }

    private:
        void add(int identity, int priority, Packets queue, const State& state, Work work) {
            tasks_ = std::make_unique<Task>(std::move(tasks_), identity, priority, std::move(queue),
                                            state, std::move(work));
            table_[identity] = tasks_.get();
        }

        Task* task(int identity) const {
            Task* const task = table_[identity];
            if (task == nullptr)
                throw std::logic_error("no task " + std::to_string(identity));
            return task;
        }

        Task* hold() {
            held++;
            current_->held = true;
            return current_->next.get();
        }

        Task* await() {
            current_->waiting = true;
            return current_;
        }

        Task* release(int identity) {
            Task* const task = this->task(identity);
            task->held = false;
            return task->priority > current_->priority ? task : current_;
        }

        Task* queue(Packets packet) {
            Task* const receiver = task(packet->identity);
            queued++;
            packet->next = nullptr;
            packet->identity = identity_;
            return receiver->accept(std::move(packet), current_);
        }

        std::unique_ptr<Task> tasks_;
        Task* current_ = nullptr;
        int identity_ = 0;
        const std::unique_ptr<Task*[]> table_ = std::make_unique<Task*[]>(tasks);
    };
};

}  // namespace awfy
