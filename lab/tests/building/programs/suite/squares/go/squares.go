package main

import (
	"fmt"
	"os"
	"runtime/pprof"
	"strconv"

	"programs/harness/go"
)

func main() {
	if path := os.Getenv("RUNFAIR_CPU_PROFILE"); path != "" {
		file, err := os.Create(path)
		if err != nil {
			panic(err)
		}
		if err := pprof.StartCPUProfile(file); err != nil {
			panic(err)
		}
		defer pprof.StopCPUProfile()
	}
	count := uint64(10)
	if len(os.Args) > 1 {
		count, _ = strconv.ParseUint(os.Args[1], 10, 64)
	}
	fmt.Println(harness.Squares(count))
}
