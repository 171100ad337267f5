// A preloaded library that writes a line whenever the process is replaced or
// ends by `_exit`.

#include <dlfcn.h>
#include <stdio.h>

#define VISIBLE extern "C" __attribute__((visibility("default")))

template <typename Function> Function *following(const char *name) {
  dprintf(1, "%s\n", name);
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

VISIBLE int execve(const char *path, char *const *words,
                   char *const *variables) noexcept {
  return following<int(const char *, char *const *, char *const *)>("execve")(
      path, words, variables);
}

VISIBLE int execv(const char *path, char *const *words) noexcept {
  return following<int(const char *, char *const *)>("execv")(path, words);
}

VISIBLE __attribute__((noreturn)) void _exit(int status) {
  following<void(int)>("_exit")(status);
  __builtin_unreachable();
}
