// Child processes: other programs, and this program again as a worker.

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <vector>

#include "binding.hpp"
#include "failure.hpp"

extern char** environ;

namespace sparrow {

using v8::Local;

namespace {

constexpr int kChannel = 3;  // a worker's descriptor to its parent

class Child : public Watch {
public:
    Child(pid_t pid, int pidfd, Callback ended) : pid_(pid), ended_(std::move(ended)) {
        fd = pidfd;
        runtime().loop.add(*this, EPOLLIN);
        runtime().loop.hold();
    }

    void ready(std::uint32_t) override {
        int status = 0;
        if (waitpid(pid_, &status, WNOHANG) != pid_)
            return;
        runtime().loop.release();
        const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        const int code = signal == 0 ? WEXITSTATUS(status) : 128 + signal;
        runtime().loop.retire(this);
        ended_.run(code, signal);
    }

private:
    pid_t pid_;
    Callback ended_;
};

// A program to start: its words and variables, its folder (empty: that of this process), and
// those of its descriptors that are connected to this process, and what its kMistakeReporter is.
struct Program {
    std::vector<std::string> words, variables;
    std::string folder;
    std::vector<int> descriptors;
    int reporter = -1;
};

std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> all;
    for (std::string& string : strings)
        all.push_back(string.data());
    all.push_back(nullptr);
    return all;
}

// Starts the program, with the end of a pair of sockets for each descriptor. An errno, or 0.
int spawned(Program& program, const std::vector<int>& ends, pid_t& pid) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    for (std::size_t i = 0; i < ends.size(); i++)
        posix_spawn_file_actions_adddup2(&files, ends[i], program.descriptors[i]);
    if (program.reporter >= 0)
        posix_spawn_file_actions_adddup2(&files, program.reporter, kMistakeReporter);
    if (!program.folder.empty())
        posix_spawn_file_actions_addchdir_np(&files, program.folder.c_str());
    // This process ignores SIGPIPE, on which others rely.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t reset;
    sigemptyset(&reset);
    sigaddset(&reset, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &reset);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    const int error =
        posix_spawnp(&pid, program.words[0].c_str(), &files, &attributes,
                     pointers(program.words).data(), pointers(program.variables).data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

// Starts a program: [its process, this process's sockets to its descriptors].
Local<v8::Value> start(Program program, Callback ended) {
    std::vector<int> own, others;
    int error = 0;
    for (std::size_t i = 0; i < program.descriptors.size() && error == 0; i++) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
            error = errno;
            break;
        }
        own.push_back(ends[0]);
        others.push_back(ends[1]);
    }
    pid_t pid = 0;
    int watched = -1;
    if (error == 0)
        error = spawned(program, others, pid);
    if (error == 0) {
        watched = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
        if (watched < 0) {
            error = errno;
            kill(pid, SIGKILL);
            waitpid(pid, nullptr, 0);
        }
    }
    for (const int socket : others)
        close(socket);
    if (error != 0) {
        for (const int socket : own)
            close(socket);
        return throw_system_error(program.words[0] + " cannot be started", error);
    }
    new Child(pid, watched, std::move(ended));
    own.insert(own.begin(), pid);
    return value_of(own);
}

// startProcess(words, variables, folder, ended(status, signal)): another program, whose standard
// streams are sockets.
Local<v8::Value> start_process(const std::vector<std::string>& words,
                               const std::vector<std::string>& variables, const std::string& folder,
                               Callback ended) {
    return start({words, variables, folder, {0, 1, 2}}, std::move(ended));
}

// An eventfd that one of several workers can read: a new one for the first of them.
int reporter_of(const std::string& mark) {
    static thread_local int descriptor = -1;
    if (mark.starts_with("0/")) {
        close(descriptor);
        const int made = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
        // Above the descriptors that a worker has.
        descriptor = fcntl(made, F_DUPFD_CLOEXEC, kMistakeReporter + 1);
        close(made);
    }
    return descriptor;
}

// startWorker(mark, ended(status, signal)): this program in another process; the socket is its
// channel.
Local<v8::Value> start_worker(const std::string& mark, Callback ended) {
    const Runtime& own = runtime();
    Program worker{
        {own.arguments[0]}, {"SPARROW_WORKER=" + mark}, "", {kChannel}, reporter_of(mark)};
    worker.words.insert(worker.words.end(), own.options.begin(), own.options.end());
    worker.words.insert(worker.words.end(), own.arguments.begin() + 1, own.arguments.end());
    for (char** entry = environ; *entry; entry++)
        worker.variables.emplace_back(*entry);
    return start(std::move(worker), std::move(ended));
}

Local<v8::Value> send_signal(int pid, int signal) {
    return kill(pid, signal) == 0 ? Local<v8::Value>() : throw_system_error("kill", errno);
}

}  // namespace

void define_children(Local<v8::Object> native) {
    // A program that outlives the worker which has started it would keep the channel open.
    for (const int descriptor : {kChannel, kMistakeReporter}) {
        if (std::getenv("SPARROW_WORKER"))
            fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    }
    define(native, {{"startProcess", bound<start_process>},
                    {"startWorker", bound<start_worker>},
                    {"sendSignal", bound<send_signal>}});
}

}  // namespace sparrow
