#pragma once

namespace probes::v8 {

// Removes the probe's own option from NODE_OPTIONS, so that the program and its children see the
// original environment. The preloaded library adds the option again in the children.
void remove_option();

}  // namespace probes::v8
