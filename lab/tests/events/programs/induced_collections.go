// Induces collections, each between two monotonic readings that it prints.
package main

import (
	"fmt"
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

const (
	clockMonotonic = 1
	collections    = 40
	objects        = 100_000
)

func monotonicNs() int64 {
	var now syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano()
}

func main() {
	kept := make([]*int, objects)
	for i := range kept {
		kept[i] = new(int)
	}
	for i := 0; i < collections; i++ {
		time.Sleep(10*time.Millisecond + time.Duration(i)*37*time.Microsecond)
		before := monotonicNs()
		runtime.GC()
		after := monotonicNs()
		fmt.Printf("{\"before_ns\":%d,\"after_ns\":%d}\n", before, after)
	}
	// Another thread may still write the trace of the last collection.
	time.Sleep(50 * time.Millisecond)
	runtime.KeepAlive(kept)
}
