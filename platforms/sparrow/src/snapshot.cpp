#include "snapshot.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "failure.hpp"
#include "runtime.hpp"

namespace sparrow {

namespace {

v8::StartupData opened{nullptr, 0};

// The file's first bytes. V8 itself would end the process for what does not fit, and reads damaged
// content.
struct Head {
    std::uint64_t engine_bytes;  // the size of the engine's executable
    std::uint32_t version;       // of V8, with its flags and the processor's features
    std::uint32_t checksum;

    explicit Head(const v8::StartupData& content)
        : engine_bytes(std::filesystem::file_size(runtime().home + "/engine")),
          version(v8::ScriptCompiler::CachedDataVersionTag()),
          checksum(static_cast<std::uint32_t>(
              crc32_z(0, reinterpret_cast<const unsigned char*>(content.data),
                      static_cast<std::size_t>(content.raw_size)))) {}
};

std::string path() {
    return runtime().home + "/snapshot.bin";
}

}  // namespace

void open_snapshot() {
    const int file = open(path().c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    struct stat status{};
    fstat(file, &status);
    const auto size = static_cast<std::size_t>(status.st_size);
    void* begin = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    close(file);
    if (begin == MAP_FAILED)
        return;
    if (size > sizeof(Head)) {
        const v8::StartupData content{static_cast<const char*>(begin) + sizeof(Head),
                                      static_cast<int>(size - sizeof(Head))};
        const Head fitting(content);
        if (std::memcmp(begin, &fitting, sizeof(Head)) == 0) {
            opened = content;
            return;
        }
    }
    munmap(begin, size);
}

const v8::StartupData* snapshot() {
    return opened.data ? &opened : nullptr;
}

void write_snapshot(const v8::StartupData& made) {
    // Whoever starts meanwhile reads the old file or the new one.
    const std::string unfinished = path() + "." + std::to_string(getpid());
    const Head head(made);
    std::ofstream file(unfinished, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&head), sizeof head);
    file.write(made.data, made.raw_size);
    file.close();
    std::error_code error;
    if (file)
        std::filesystem::rename(unfinished, path(), error);
    if (file && !error)
        return;
    std::fprintf(stderr, "sparrow: %s cannot be written\n", path().c_str());
    end_process(kMistake);
}

}  // namespace sparrow
