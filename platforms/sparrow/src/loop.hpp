// The event loop: epoll, one alarm for all timers, and a tick a second.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <list>
#include <unordered_set>
#include <vector>

namespace sparrow {

// Something with a descriptor that the loop watches.
class Watch {
public:
    virtual ~Watch() = default;
    virtual void ready(std::uint32_t events) = 0;

    int fd = -1;
};

// A list, because a task may add another.
using Tasks = std::list<std::function<void()>>;

class Loop {
public:
    Loop();

    void add(Watch& watch, std::uint32_t events);
    void change(Watch& watch, std::uint32_t events);
    // Stops watching, closes the descriptor, and deletes the watch when no event can name it.
    void retire(Watch* watch);
    // The same, but the returned descriptor stays open.
    int give_up(Watch* watch);

    // What keeps the loop going: descriptors that wait for somebody, timers, children.
    void hold() { held_++; }
    void release() { held_--; }

    // Calls `on_alarm` at that time of the monotonic clock; a negative one means never.
    void set_alarm(double at_ms) { alarm_ms_ = at_ms; }

    // Another turn comes, and waits no longer than this for events.
    void hasten(int most_ms = 0) { most_ms_ = std::min(most_ms_, most_ms); }

    // Ends it after this turn, whatever holds it.
    void stop() { stopped_ = true; }
    bool stopped() const { return stopped_; }

    // Runs until nothing holds or hastens the loop. Those in `after` are called first, and after
    // each batch of events.
    void run();

    // Closes and deletes what is still watched, before the isolate ends.
    void close();

    std::function<void()> on_alarm;
    Tasks after, each_second;

private:
    static constexpr int kUnhurried = 1000;

    int wait_ms();
    void end_turn();

    int epoll_;
    int held_ = 0;
    int most_ms_ = kUnhurried;  // that the next turn waits
    bool stopped_ = false;
    double alarm_ms_ = -1;
    double next_second_ms_ = 0;
    std::vector<Watch*> retired_;
    std::unordered_set<Watch*> watches_;
};

double monotonic_ms();

}  // namespace sparrow
