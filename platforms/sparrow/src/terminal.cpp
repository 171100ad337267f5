#include "terminal.hpp"

#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "failure.hpp"
#include "runtime.hpp"

namespace sparrow {
namespace {

constexpr int kColumns = 80;  // where the terminal does not say
termios found{};
volatile bool changed = false;

// isTerminal(descriptor)
void is_terminal(Arguments arguments) {
    arguments.GetReturnValue().Set(isatty(integer(arguments, 0)) == 1);
}

// takeTerminal(): keys arrive when they are pressed, and are not shown. Control-C stays a signal.
void take_terminal(Arguments) {
    if (runtime().thread)
        return throw_error("the terminal belongs to the main thread");
    tcgetattr(STDIN_FILENO, &found);
    termios own = found;
    own.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | IEXTEN);
    own.c_iflag &= ~static_cast<tcflag_t>(ICRNL | IXON);
    changed = tcsetattr(STDIN_FILENO, TCSADRAIN, &own) == 0;
}

void columns(Arguments arguments) {
    winsize size{};
    const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    arguments.GetReturnValue().Set(known ? size.ws_col : kColumns);
}

void on_uncaught(Arguments arguments) {
    set_uncaught_handler(arguments[0].As<v8::Function>());
}

}  // namespace

void restore_terminal() {
    if (changed)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &found);
    changed = false;
}

void define_terminal(v8::Local<v8::Object> native) {
    define(native, {{"isTerminal", is_terminal},
                    {"takeTerminal", take_terminal},
                    {"columns", columns},
                    {"onUncaught", on_uncaught}});
}

}  // namespace sparrow
