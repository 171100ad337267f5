#pragma once

namespace probes::v8 {

// Takes the probe's own option out of NODE_OPTIONS: the program and its children see the
// environment as it was given. The children's own entrance adds it again.
void remove_option();

}  // namespace probes::v8
