//go:build !go1.19
// +build !go1.19

package harness

// buildSettings are none: a program of an older Go cannot read how it was built.
func buildSettings() event { return event{} }

func bitLength(v uint64) (length uint) {
	for step := uint(32); step > 0; step /= 2 {
		if v>>step != 0 {
			v >>= step
			length += step
		}
	}
	return length + uint(v)
}
