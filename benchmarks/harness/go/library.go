//go:build go1.19
// +build go1.19

package harness

import (
	"fmt"
	"runtime/debug"
	"strings"
)

func init() {
	buildSettings = func() Event {
		build, _ := debug.ReadBuildInfo()
		settings := fmt.Sprint(build.Settings)
		return Event{
			"build_flags": settings, "optimisation": !strings.Contains(settings, "-N"),
			"pgo": strings.Contains(settings, "{-pgo "), "heap_max_bytes": debug.SetMemoryLimit(-1),
		}
	}
}
