#include "terminal.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "binding.hpp"
#include "failure.hpp"

namespace sparrow {
namespace {

constexpr int kColumns = 80;  // where the terminal does not say
termios found{};
int flags = 0;  // of the terminal, which others read too
volatile bool changed = false;

// takeTerminal(): keys arrive when they are pressed, and are not shown. Control-C stays a signal.
v8::Local<v8::Value> take_terminal() {
    if (runtime().thread)
        return throw_error("the terminal belongs to the main thread");
    flags = fcntl(STDIN_FILENO, F_GETFL);
    tcgetattr(STDIN_FILENO, &found);
    termios own = found;
    own.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | IEXTEN);
    own.c_iflag &= ~static_cast<tcflag_t>(ICRNL | IXON);
    changed = tcsetattr(STDIN_FILENO, TCSADRAIN, &own) == 0;
    return {};
}

int columns() {
    winsize size{};
    const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : kColumns;
}

}  // namespace

void restore_terminal() {
    if (!changed)
        return;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &found);
    fcntl(STDIN_FILENO, F_SETFL, flags);
    changed = false;
}

void define_terminal(v8::Local<v8::Object> native) {
    define(native, {{"isTerminal", bound<[](int descriptor) { return isatty(descriptor) == 1; }>},
                    {"takeTerminal", bound<take_terminal>},
                    {"columns", bound<columns>},
                    {"onUncaught", bound<set_uncaught_handler>}});
}

}  // namespace sparrow
