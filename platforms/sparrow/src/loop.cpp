#include "loop.hpp"

#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace sparrow {
namespace {

constexpr int kBatch = 512;
constexpr double kSecondMs = 1000;

void run_all(const Tasks& tasks) {
    for (const auto& task : tasks)
        task();
}

}  // namespace

double monotonic_ms() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

Loop::Loop() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    if (epoll_ < 0) {
        perror("sparrow: epoll");
        _exit(1);
    }
}

void Loop::close() {
    for (Watch* watch : retired_)
        delete watch;
    for (Watch* watch : watches_) {
        if (watch->fd >= 0)
            ::close(watch->fd);
        delete watch;
    }
    ::close(epoll_);
}

void Loop::add(Watch& watch, std::uint32_t events) {
    watches_.insert(&watch);
    epoll_event event{events, {&watch}};
    epoll_ctl(epoll_, EPOLL_CTL_ADD, watch.fd, &event);
}

void Loop::change(Watch& watch, std::uint32_t events) {
    epoll_event event{events, {&watch}};
    epoll_ctl(epoll_, EPOLL_CTL_MOD, watch.fd, &event);
}

int Loop::give_up(Watch* watch) {
    const int descriptor = std::exchange(watch->fd, -1);
    watches_.erase(watch);
    epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, nullptr);
    retired_.push_back(watch);
    return descriptor;
}

void Loop::retire(Watch* watch) {
    ::close(give_up(watch));
}

void Loop::run() {
    std::array<epoll_event, kBatch> events{};
    end_turn();  // of the program's own start
    while ((held_ > 0 || most_ms_ < kUnhurried) && !stopped_) {
        const int count = epoll_wait(epoll_, events.data(), kBatch, wait_ms());
        if (count < 0 && errno != EINTR) {
            perror("sparrow: epoll_wait");
            _exit(1);
        }
        for (int i = 0; i < count; i++) {
            auto* watch = static_cast<Watch*>(events[i].data.ptr);
            if (watch->fd >= 0)
                watch->ready(events[i].events);
        }
        const double now = monotonic_ms();
        if (alarm_ms_ >= 0 && now >= alarm_ms_) {
            alarm_ms_ = -1;
            on_alarm();
        }
        if (now >= next_second_ms_) {
            next_second_ms_ = now + kSecondMs;
            run_all(each_second);
        }
        end_turn();
    }
}

void Loop::end_turn() {
    run_all(after);
    for (Watch* watch : retired_)
        delete watch;
    retired_.clear();
}

int Loop::wait_ms() {
    const int most_ms = std::exchange(most_ms_, kUnhurried);
    if (most_ms == 0)
        return 0;
    const double now = monotonic_ms();
    double until = next_second_ms_;
    if (alarm_ms_ >= 0)
        until = std::min(until, alarm_ms_);
    return static_cast<int>(std::ceil(std::clamp<double>(until - now, 0, most_ms)));
}

}  // namespace sparrow
