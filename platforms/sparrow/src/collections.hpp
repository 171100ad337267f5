// V8's garbage collections.
#pragma once

#include <v8.h>

#include <cstdint>

namespace sparrow {

// The collections of this thread's heap.
struct Collections {
    std::uint32_t minor = 0, major = 0;  // of the young generation; of the whole heap
    double ms = 0;                       // for which they have stopped the thread
};

const Collections& collections();

// Counts the isolate's collections. Also writes each to a file, if the variable SPARROW_EVENTS
// names a folder.
void watch_collections(v8::Isolate* isolate);

}  // namespace sparrow
