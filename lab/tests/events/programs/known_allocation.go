// Allocates 512 MiB in arrays of 1,024 bytes between two collections of its own, with 32 MiB kept
// alive, and prints monotonic readings well before and after: the runtime collects beside the
// program, as late as its threads get a processor, so that what its own collections bound is not
// known.
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
	arrays         = 512 * 1024
	arrayBytes     = 1024
	keptBytes      = 32 << 20
	apart          = 50 * time.Millisecond
)

var last []byte

func monotonicNs() int64 {
	var now syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano()
}

func main() {
	kept := make([]byte, keptBytes)
	time.Sleep(apart)
	before := monotonicNs()
	time.Sleep(apart)
	runtime.GC()
	for i := 0; i < arrays; i++ {
		last = make([]byte, arrayBytes)
	}
	runtime.GC()
	time.Sleep(apart)
	after := monotonicNs()
	fmt.Printf("{\"before_ns\":%d,\"after_ns\":%d}\n", before, after)
	runtime.KeepAlive(kept)
}
