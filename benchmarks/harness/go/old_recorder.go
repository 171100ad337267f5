//go:build !go1.9
// +build !go1.9

package harness

import "time"

// nanotime is the runtime's CLOCK_MONOTONIC, which package time hides before Go 1.9 (nanotime.s).
func nanotime() int64

func init() {
	Now = func() time.Duration { return time.Duration(nanotime()) }
}
