package harness

import (
	"encoding/binary"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func newRecorder(t *testing.T, name string) (recorder *Recorder, path string) {
	folder := t.TempDir()
	t.Cleanup(func() { recorders = nil })
	return Options{"samples": folder}.Recorder(name), filepath.Join(folder, name+".counts")
}

// read is the index in the file of a recorder, and the counts of the cells that hold samples.
func read(t *testing.T, path string) (index uint64, counts map[int]uint64) {
	content, err := os.ReadFile(path)
	if err != nil || len(content) != 311304 {
		t.Fatalf("%d bytes: %v", len(content), err)
	}
	counts = map[int]uint64{}
	for cell := range 38912 {
		if count := binary.LittleEndian.Uint64(content[8+8*cell:]); count > 0 {
			counts[cell] = count
		}
	}
	return binary.LittleEndian.Uint64(content), counts
}

func TestEachCellBeginsWhereTheOneBeforeEnds(t *testing.T) {
	for cell := 1; cell < 38912; cell++ {
		shift := max(0, cell/1024-1)
		first := int64(cell-shift*1024) << shift
		if Cell(first) != cell || Cell(first-1) != cell-1 {
			t.Fatalf("%d is in cell %d, and %d in cell %d, not %d", first, Cell(first), first-1, Cell(first-1), cell)
		}
	}
}

func TestValuesOutOfRangeAreInTheOutermostCells(t *testing.T) {
	if Cell(-1) != 0 || Cell(-1<<63) != 0 || Cell(1<<47) != 38911 || Cell(1<<63-1) != 38911 {
		t.Error("a value is in no cell")
	}
}

func TestNoSampleOfSeveralGoroutinesIsLost(t *testing.T) {
	const goroutines, each = 8, 50_000
	recorder, path := newRecorder(t, "lateness")
	var group sync.WaitGroup
	for range goroutines {
		group.Add(1)
		go func() {
			defer group.Done()
			for value := range int64(each) {
				recorder.Record(value % 3)
			}
		}()
	}
	group.Wait()
	sum := uint64(0)
	_, counts := read(t, path)
	for _, count := range counts {
		sum += count
	}
	if sum != goroutines*each || len(counts) != 3 {
		t.Errorf("recorded %v", counts)
	}
}

func TestAnIterationBeginsWithoutSamples(t *testing.T) {
	recorder, path := newRecorder(t, "lateness")
	recorder.Record(7)
	if index, counts := read(t, path); index != 0 || !maps.Equal(counts, map[int]uint64{7: 1}) {
		t.Errorf("recorded %v in iteration %d", counts, index)
	}
	beginSamples(5)
	if index, counts := read(t, path); index != 5 || len(counts) != 0 {
		t.Errorf("iteration %d begins with %v", index, counts)
	}
}

type nothing struct{}

func (nothing) Threads(Options) int         { return 1 }
func (nothing) Load(Options) error          { return nil }
func (nothing) Prepare()                    {}
func (nothing) Run() error                  { return nil }
func (nothing) Digest() uint64              { return 0 }
func (nothing) Counters() map[string]uint64 { return nil }

type lateTwice struct {
	nothing
	recorder *Recorder
}

func (l lateTwice) Run() error {
	l.recorder.Record(2049)
	l.recorder.Record(3)
	l.recorder.Record(2048)
	return nil
}

func line(program Program) string {
	defer lines.Reset()
	iterate(program, 0, false)
	return lines.String()
}

func TestTheLineOfAnIterationHoldsItsSamples(t *testing.T) {
	if got := line(nothing{}); strings.Contains(got, "samples") {
		t.Errorf("without a recorder: %s", got)
	}
	recorder, _ := newRecorder(t, "lateness")
	if got := line(nothing{}); !strings.HasSuffix(got, `,"samples":{"lateness":[]}}`+"\n") {
		t.Errorf("without a sample: %s", got)
	}
	for range 2 {
		if got := line(lateTwice{recorder: recorder}); !strings.HasSuffix(got, `,"samples":{"lateness":[3,1,2048,2]}}`+"\n") {
			t.Errorf("printed %s", got)
		}
	}
}
