// Child processes: other programs, and this program again as a worker.

#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "runtime.hpp"

extern char** environ;

namespace sparrow {

using v8::Local;

namespace {

constexpr int kChannel = 3;  // a worker's descriptor to its parent

class Child : public Watch {
public:
    Child(pid_t pid, int pidfd, Local<v8::Function> ended)
        : pid_(pid), ended_(runtime().isolate, ended) {
        fd = pidfd;
        runtime().loop.add(*this, EPOLLIN);
        runtime().loop.hold();
    }

    void ready(std::uint32_t) override {
        int status = 0;
        if (waitpid(pid_, &status, WNOHANG) != pid_)
            return;
        runtime().loop.release();
        const v8::HandleScope handles(runtime().isolate);
        const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        const int code = signal == 0 ? WEXITSTATUS(status) : 128 + signal;
        const Local<v8::Function> ended = ended_.Get(runtime().isolate);
        runtime().loop.retire(this);
        call(ended, {v8::Integer::New(runtime().isolate, code),
                     v8::Integer::New(runtime().isolate, signal)});
        run_microtasks();
    }

private:
    pid_t pid_;
    v8::Global<v8::Function> ended_;
};

// A program to start: its words and variables, its folder (empty: that of this process), and
// those of its descriptors that are connected to this process.
struct Program {
    std::vector<std::string> words, variables;
    std::string folder;
    std::vector<int> descriptors;
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
void start(Arguments arguments, Program program, Local<v8::Function> ended) {
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
    new Child(pid, watched, ended);
    std::vector<Local<v8::Value>> all = {v8::Integer::New(runtime().isolate, pid)};
    for (const int socket : own)
        all.push_back(v8::Integer::New(runtime().isolate, socket));
    arguments.GetReturnValue().Set(v8::Array::New(runtime().isolate, all.data(), all.size()));
}

std::vector<std::string> strings_of(Local<v8::Value> value) {
    const auto array = value.As<v8::Array>();
    std::vector<std::string> all;
    for (std::uint32_t i = 0; i < array->Length(); i++)
        all.push_back(utf8(array->Get(context(), i).ToLocalChecked()));
    return all;
}

// startProcess(words, variables, folder, ended(status, signal)): another program, whose standard
// streams are sockets.
void start_process(Arguments arguments) {
    start(arguments,
          {strings_of(arguments[0]), strings_of(arguments[1]), utf8(arguments[2]), {0, 1, 2}},
          arguments[3].As<v8::Function>());
}

// startWorker(mark, ended(status, signal)): this program in another process; the socket is its
// channel.
void start_worker(Arguments arguments) {
    const Runtime& own = runtime();
    Program worker{{own.arguments[0]}, {"SPARROW_WORKER=" + utf8(arguments[0])}, "", {kChannel}};
    worker.words.insert(worker.words.end(), own.options.begin(), own.options.end());
    worker.words.insert(worker.words.end(), own.arguments.begin() + 1, own.arguments.end());
    for (char** entry = environ; *entry; entry++)
        worker.variables.emplace_back(*entry);
    start(arguments, std::move(worker), arguments[1].As<v8::Function>());
}

void send_signal(Arguments arguments) {
    if (kill(integer(arguments, 0), integer(arguments, 1)) != 0)
        throw_system_error("kill", errno);
}

}  // namespace

void define_children(Local<v8::Object> native) {
    define(native, {{"startProcess", start_process},
                    {"startWorker", start_worker},
                    {"sendSignal", send_signal}});
}

}  // namespace sparrow
