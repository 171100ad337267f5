//go:build go1.19
// +build go1.19

package harness

import (
	"fmt"
	"math/bits"
	"runtime/debug"
	"strings"
)

// buildSettings are the compiler's record of its own flags, and the limit of the heap.
func buildSettings() event {
	build, _ := debug.ReadBuildInfo()
	settings := fmt.Sprint(build.Settings)
	return event{
		"build_flags": settings, "optimisation": !strings.Contains(settings, "-N"),
		"pgo": strings.Contains(settings, "{-pgo "), "heap_max_bytes": debug.SetMemoryLimit(-1),
	}
}

func bitLength(v uint64) uint { return uint(bits.Len64(v)) }
