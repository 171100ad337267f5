package harness

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
)

// effective is what is really in force: how the program was built, as the
// toolchain wrote it into the binary, and the knobs of the collector and the
// scheduler, as the runtime tells them.
func effective() map[string]interface{} {
	facts := map[string]interface{}{
		"compiler":   runtime.Compiler,
		"gomaxprocs": runtime.GOMAXPROCS(0),
	}
	addBuild(facts)
	addCollector(facts)
	return facts
}

func addBuild(facts map[string]interface{}) {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return
	}
	settings := map[string]string{}
	var flags []string
	for _, setting := range build.Settings {
		settings[setting.Key] = setting.Value
		switch {
		case setting.Key == "-pgo":
			// Its value is a path, which would differ from machine to machine.
		case strings.HasPrefix(setting.Key, "-"):
			flags = append(flags, setting.Key+"="+setting.Value)
		case setting.Key == "GOAMD64", setting.Key == "GOARM64", setting.Key == "GOEXPERIMENT":
			facts[strings.ToLower(setting.Key)] = setting.Value
		}
	}
	facts["build_flags"] = strings.Join(flags, " ")
	facts["optimisation"] = optimisation(settings)
	_, pgo := settings["-pgo"]
	facts["pgo"] = pgo
	_, race := settings["-race"]
	facts["race_detector"] = race
}

// optimisation is the level: gc has one, which -N switches off; gccgo has those
// of GCC, where the last -O counts and none means -O0.
func optimisation(settings map[string]string) string {
	if runtime.Compiler == "gccgo" {
		level := "-O0"
		for _, flag := range strings.Fields(settings["-gccgoflags"]) {
			if strings.HasPrefix(flag, "-O") {
				level = flag
			}
		}
		return level
	}
	for _, flag := range strings.Fields(settings["-gcflags"]) {
		if flag == "-N" || strings.HasSuffix(flag, "=-N") {
			return "none"
		}
	}
	return "default"
}

// addCollector reads GOGC and GOMEMLIMIT from the runtime where it tells them
// (Go 1.21 and later), else from the environment that it read them from.
func addCollector(facts map[string]interface{}) {
	samples := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/gomemlimit:bytes"}}
	metrics.Read(samples)
	percent, limit := samples[0].Value, samples[1].Value
	if percent.Kind() != metrics.KindUint64 || limit.Kind() != metrics.KindUint64 {
		facts["gogc"] = os.Getenv("GOGC")
		facts["gomemlimit"] = os.Getenv("GOMEMLIMIT")
		return
	}
	// GOGC=off reads as the greatest 64-bit number.
	if percent.Uint64() > math.MaxInt32 {
		facts["gogc"] = "off"
	} else {
		facts["gogc"] = percent.Uint64()
	}
	if limit.Uint64() < math.MaxInt64 {
		facts["heap_max_bytes"] = limit.Uint64()
	}
}
