// sparrow: starts V8's executable with the platform's library in front of its own code.
//
// The package has V8 inside an executable, which can be neither linked nor loaded. The library
// replaces what that executable would run (entry.cpp). The C library alone suffices here: to load
// that of C++ takes longer than all of this.

#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int, char** arguments) {
    char folder[PATH_MAX] = ".";
    const ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    if (length > 0) {
        folder[length] = '\0';
        *std::strrchr(folder, '/') = '\0';
    }
    const char* others = getenv("LD_PRELOAD");
    char* preloaded = nullptr;
    char* engine = nullptr;
    if (asprintf(&preloaded, "%s/libsparrow.so%s%s", folder, others ? ":" : "",
                 others ? others : "") < 0 ||
        asprintf(&engine, "%s/engine", folder) < 0)
        return 2;
    setenv("LD_PRELOAD", preloaded, 1);
    setenv("SPARROW_HOME", folder, 1);
    execv(engine, arguments);
    std::fprintf(stderr, "sparrow: %s cannot be started: %s; run make again\n", engine,
                 std::strerror(errno));
    return 2;
}
