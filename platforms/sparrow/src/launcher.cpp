// sparrow: starts V8's executable with the platform's library in front of its
// own code.
//
// The package has V8 inside an executable, which can be neither linked nor
// loaded. The library replaces what that executable would run (entry.cpp).

#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

std::string folder_of_this() {
    std::string path(PATH_MAX, '\0');
    const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
    if (length <= 0)
        return ".";
    path.resize(static_cast<std::size_t>(length));
    return path.substr(0, path.rfind('/'));
}

}  // namespace

int main(int, char** arguments) {
    const std::string folder = folder_of_this();
    std::string preloaded = folder + "/libsparrow.so";
    if (const char* others = getenv("LD_PRELOAD"))
        preloaded += std::string(":") + others;
    setenv("LD_PRELOAD", preloaded.c_str(), 1);
    setenv("SPARROW_HOME", folder.c_str(), 1);
    const std::string engine = folder + "/engine";
    execv(engine.c_str(), arguments);
    std::fprintf(stderr, "sparrow: %s cannot be started: %s; run make again\n", engine.c_str(),
                 std::strerror(errno));
    return 2;
}
