#include "entrance.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "../core/side_file.hpp"

namespace probes::v8 {

namespace {

constexpr const char* kOptions = "NODE_OPTIONS";

std::string variable(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? "" : value;
}

std::string own_option() {
  const std::string module = variable("RUNFAIR_PROBE_NODE_MODULE");
  return module.empty() ? "" : "--require=" + module;
}

// Under the permission model, Node does not load the module and the addon, and refuses to start
// with this option. A file of options may also enable the permission model.
bool is_restricted() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string words((std::istreambuf_iterator<char>(file)), {});
  for (char& each : words)
    if (each == '\0') each = ' ';
  words = " " + words + " " + variable(kOptions);
  for (const char* option : {" --permission", " --experimental-permission", " --policy-integrity",
                             " --experimental-policy", " --experimental-config-file",
                             " --experimental-default-config-file", " --no-addons"})
    if (words.find(option) != std::string::npos) return true;
  return false;
}

// Only executables that export Node-API get the option, because a process without this preloaded
// library could not use it.
__attribute__((constructor)) void add_option() {
  if (dlsym(RTLD_DEFAULT, "napi_create_function") == nullptr || own_option().empty()) return;
  const Request wanted = request();
  if (wanted.folder.empty()) return;
  if (is_restricted()) {
    write_refusal(wanted, {"node", "", true},
                  "this Node runs with restrictions (--permission, --no-addons or a file of"
                  " options), which keep the probe out");
    return;
  }
  const std::string before = variable(kOptions), own = own_option();
  if (before.find(own) != std::string::npos) return;
  setenv(kOptions, (before.empty() ? own : own + " " + before).c_str(), 1);
}

}  // namespace

void remove_option() {
  const std::string given = variable(kOptions), own = own_option();
  if (own.empty() || given.compare(0, own.size(), own) != 0) return;
  const std::string rest = given.substr(own.size());
  if (rest.empty())
    unsetenv(kOptions);
  else
    setenv(kOptions, rest.c_str() + 1, 1);
}

}  // namespace probes::v8
