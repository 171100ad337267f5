// Allocates 512 MiB in arrays of 1,024 bytes, between two monotonic readings that it prints, with 32
// MiB kept alive: collections come as often as the heap doubles.
package main

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"
)

const (
	clockMonotonic = 1
	arrays         = 512 * 1024
	arrayBytes     = 1024
	keptBytes      = 32 << 20
)

var last []byte

func monotonicNs() int64 {
	var now syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano()
}

func main() {
	kept := make([]byte, keptBytes)
	runtime.GC()
	before := monotonicNs()
	for i := 0; i < arrays; i++ {
		last = make([]byte, arrayBytes)
	}
	after := monotonicNs()
	fmt.Printf("{\"before_ns\":%d,\"after_ns\":%d}\n", before, after)
	runtime.KeepAlive(kept)
}
