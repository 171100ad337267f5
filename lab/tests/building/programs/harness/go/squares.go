// Package harness is what a harness is to a real program: a package to import.
package harness

// Squares is the sum of the first squares.
func Squares(count uint64) uint64 {
	var sum uint64
	for i := uint64(1); i <= count; i++ {
		sum += i * i
	}
	return sum
}
