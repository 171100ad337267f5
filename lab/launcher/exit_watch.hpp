#pragma once

#include <sys/types.h>
#include <sys/wait.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <thread>

#include "clock.hpp"

namespace launcher {

// Records the time at which a child ends. It has its own thread, because the main thread may spend
// milliseconds on reading the memory maps of the tree, and this delay must not be added to the
// program's time.
class ExitWatch {
 public:
  explicit ExitWatch(pid_t pid) : ended_ns_(std::make_shared<std::atomic<int64_t>>(0)) {
    thread_ = std::thread([pid, ended_ns = ended_ns_] {
      siginfo_t about;
      while (waitid(P_PID, static_cast<id_t>(pid), &about, WEXITED | WNOWAIT) != 0)
        if (errno != EINTR) return;
      *ended_ns = monotonic_ns();
    });
  }
  ExitWatch(const ExitWatch&) = delete;
  ExitWatch& operator=(const ExitWatch&) = delete;
  ~ExitWatch() {
    // Only a program that even SIGKILL did not end can still be running here.
    if (thread_.joinable()) thread_.detach();
  }

  // Call this after the child has ended and before it is reaped.
  int64_t ended_ns() {
    thread_.join();
    return *ended_ns_;
  }

 private:
  std::shared_ptr<std::atomic<int64_t>> ended_ns_;
  std::thread thread_;
};

}  // namespace launcher
