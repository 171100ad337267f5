package harness

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
)

// effective is what is in force: how the toolchain says that it built the
// program, and what the runtime says of its collector and its scheduler.
func effective() event {
	facts := event{"compiler": runtime.Compiler, "gomaxprocs": runtime.GOMAXPROCS(0), "optimisation": "default", "pgo": false, "gogc": "off"}
	flags := ""
	build, _ := debug.ReadBuildInfo()
	for _, setting := range build.Settings {
		switch key := setting.Key; {
		case key == "-pgo": // its value is a path, which differs from machine to machine
			facts["pgo"] = true
		case key[0] == '-':
			flags += " " + key + "=" + setting.Value
		case key == "GOAMD64", key == "GOARM64", key == "GOEXPERIMENT":
			facts[strings.ToLower(key)] = setting.Value
		}
	}
	facts["build_flags"] = strings.TrimSpace(flags)
	facts["race_detector"] = strings.Contains(flags, " -race=")
	if strings.Contains(flags+" ", "-N ") { // of -gcflags
		facts["optimisation"] = "none"
	}
	collector := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/gomemlimit:bytes"}}
	metrics.Read(collector)
	if percent := collector[0].Value.Uint64(); percent <= math.MaxInt32 { // the greatest number: off
		facts["gogc"] = percent
	}
	if limit := collector[1].Value.Uint64(); limit < math.MaxInt64 { // this one: no limit
		facts["heap_max_bytes"] = limit
	}
	return facts
}
