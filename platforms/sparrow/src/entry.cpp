// Takes over the process before the engine's own main: its V8 becomes a library.

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "program.hpp"

namespace {

// So that the programs that this one starts do not load the library.
void leave_no_preload() {
    const char* preloaded = std::getenv("LD_PRELOAD");
    const char* others = preloaded ? std::strchr(preloaded, ':') : nullptr;
    if (others && others[1] != '\0') {
        setenv("LD_PRELOAD", others + 1, 1);
    } else {
        unsetenv("LD_PRELOAD");
    }
}

int sparrow_main(int count, char** arguments, char**) {
    leave_no_preload();
    return sparrow::program(count, arguments);
}

using Main = int (*)(int, char**, char**);
using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);

}  // namespace

extern "C" __attribute__((visibility("default"))) int __libc_start_main(
    Main, int count, char** arguments, void (*initialise)(), void (*finish)(), void (*loader)(),
    void* stack) {
    const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
    return start(sparrow_main, count, arguments, initialise, finish, loader, stack);
}
