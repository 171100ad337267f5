// Vectors checks the harness's primitives against benchmarks/harness/vectors.json.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	harness "runfair/harness/go"
)

type vectors struct {
	SplitMix64 []struct {
		Seed string
		Next []string
	}
	Bounded []struct {
		Seed   string
		Bounds []uint64
		Values []uint64
	}
	Shuffle []struct {
		Seed   string
		Length int
		Order  []int
	}
	FNV1a []struct {
		Text   string
		Digest string
	}
}

func main() {
	if len(os.Args) != 2 {
		fail(fmt.Errorf("usage: vectors PATH"))
	}
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		fail(err)
	}
	var v vectors
	if err := json.Unmarshal(text, &v); err != nil {
		fail(err)
	}
	if err := check(&v); err != nil {
		fail(err)
	}
	fmt.Println("vectors ok")
}

func fail(err error) {
	fmt.Fprintf(os.Stderr, "vectors: %v\n", err)
	os.Exit(1)
}

// check says which vector failed first.
func check(v *vectors) error {
	if len(v.SplitMix64) == 0 || len(v.Bounded) == 0 || len(v.Shuffle) == 0 || len(v.FNV1a) == 0 {
		return fmt.Errorf("the file lacks a section: it must have splitmix64, bounded, shuffle and fnv1a")
	}
	for _, vector := range v.SplitMix64 {
		random, err := generator(vector.Seed)
		if err != nil {
			return err
		}
		for i, want := range vector.Next {
			if got := fmt.Sprintf("%016x", random.Next()); got != want {
				return fmt.Errorf("splitmix64, seed %s, next %d: %s, not %s", vector.Seed, i, got, want)
			}
		}
	}
	for _, vector := range v.Bounded {
		random, err := generator(vector.Seed)
		if err != nil {
			return err
		}
		if len(vector.Bounds) != len(vector.Values) {
			return fmt.Errorf("bounded, seed %s: as many bounds as values are needed", vector.Seed)
		}
		for i, bound := range vector.Bounds {
			if got := random.Bounded(bound); got != vector.Values[i] {
				return fmt.Errorf("bounded, seed %s, bound %d: %d, not %d", vector.Seed, bound, got, vector.Values[i])
			}
		}
	}
	for _, vector := range v.Shuffle {
		random, err := generator(vector.Seed)
		if err != nil {
			return err
		}
		order := make([]int, vector.Length)
		for i := range order {
			order[i] = i
		}
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		if fmt.Sprint(order) != fmt.Sprint(vector.Order) {
			return fmt.Errorf("shuffle, seed %s, length %d: %v, not %v", vector.Seed, vector.Length, order, vector.Order)
		}
	}
	for _, vector := range v.FNV1a {
		hash := harness.NewFNV1a()
		hash.AddString(vector.Text)
		if got := fmt.Sprintf("%016x", uint64(hash)); got != vector.Digest {
			return fmt.Errorf("fnv1a of %q: %s, not %s", vector.Text, got, vector.Digest)
		}
	}
	return nil
}

func generator(seed string) (harness.SplitMix64, error) {
	state, err := strconv.ParseUint(seed, 10, 64)
	return harness.SplitMix64(state), err
}
