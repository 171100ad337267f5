package harness

// SplitMix64 is the generator of Steele, Lea and Flood (OOPSLA 2014), from its seed on.
type SplitMix64 uint64

// Next is the next 64 pseudo-random bits.
func (s *SplitMix64) Next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// Bounded is a number below n, 1 ≤ n < 2³².
func (s *SplitMix64) Bounded(n uint64) uint64 { return (s.Next() >> 32) % n }

// Shuffle permutes n elements with swap, as math/rand's Shuffle is called.
func (s *SplitMix64) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, int(s.Bounded(uint64(i)+1)))
	}
}

// FNV1a is the 64-bit hash of an answer. Unlike hash/fnv it leaves no garbage to the next iteration.
type FNV1a uint64

// NewFNV1a is the hash of nothing.
func NewFNV1a() FNV1a { return 0xcbf29ce484222325 }

func (h *FNV1a) AddByte(b byte) { *h = (*h ^ FNV1a(b)) * 0x100000001b3 }

func (h *FNV1a) AddString(text string) {
	for i := 0; i < len(text); i++ {
		h.AddByte(text[i])
	}
}
