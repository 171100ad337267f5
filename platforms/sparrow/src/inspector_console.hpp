#pragma once

namespace sparrow {

// What the program prints with `console` also goes to the debugger.
void extend_console();

}  // namespace sparrow
