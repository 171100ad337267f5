package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	harness "runfair/harness/go"
)

func TestABurnerDrawsEveryNumber(t *testing.T) {
	var counts counters
	const want uint64 = 0xe220a8397b1dcdaf ^ 0x6e789e6aa1b965f4 ^ 0x06c45d188009454f
	p := &program{rounds: 3, yieldRounds: 2}
	if x := p.burn(0, &counts); x != want || counts != (counters{rounds: 3, burners: 1, yields: 1}) {
		t.Errorf("computed %x and counted %v", x, counts)
	}
}

func TestTicksThatWereMissedAreRecordedEachWithItsDelay(t *testing.T) {
	folder, period := t.TempDir(), 100*time.Second
	lateness := harness.Options{"samples": folder}.Recorder("lateness")
	ended := int32(1)
	(&ticker{harness.Now() - 3*period, period, lateness}).run(&ended)
	content, err := os.ReadFile(filepath.Join(folder, "lateness.counts"))
	if err != nil {
		t.Fatal(err)
	}
	samples := 0
	for _, count := range content[8:] {
		samples += int(count)
	}
	if samples != 4 {
		t.Errorf("recorded %d samples", samples)
	}
}
