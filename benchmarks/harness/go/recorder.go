package harness

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// Now is the time of samples, that of CLOCK_MONOTONIC. From Go 1.12 on it reads that clock alone; time.Now reads two.
var Now = func() time.Duration { return time.Since(began) }
var began = time.Now()

// Recorder counts the samples of a distribution in a file, which outlives the process.
type Recorder struct {
	name string
	*histogram
}

// histogram is the file NAME.counts, as it is mapped into memory.
type histogram struct {
	index  uint64 // of the iteration under way
	counts [38912]uint64
}

var recorders []*Recorder

// Recorder makes a recorder of one of the benchmark's distributions, in Load.
func (o Options) Recorder(name string) *Recorder {
	file, err := os.Create(filepath.Join(o.Text("samples"), name+".counts"))
	require(err)
	defer file.Close()
	const length = int(unsafe.Sizeof(histogram{}))
	require(file.Truncate(int64(length)))
	memory, err := syscall.Mmap(int(file.Fd()), 0, length, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	require(err)
	recorder := &Recorder{name, (*histogram)(unsafe.Pointer(&memory[0]))}
	recorders = append(recorders, recorder)
	return recorder
}

// Record counts a sample; several goroutines may do so at the same time.
func (r *Recorder) Record(value int64) { atomic.AddUint64(&r.counts[Cell(value)], 1) }

// Cell is the cell of a value in an HdrHistogram with three significant digits.
func Cell(value int64) int {
	if value < 0 {
		value = 0
	} else if value > 1<<47-1 {
		value = 1<<47 - 1
	}
	_, shift := math.Frexp(float64(value >> 11)) // exact, and the number of bits
	return shift*1024 + int(value>>uint(shift))
}

// beginSamples empties the recorders for an iteration.
func beginSamples(index int) {
	for _, r := range recorders {
		for cell := range r.counts {
			r.counts[cell] = 0
		}
		atomic.StoreUint64(&r.index, uint64(index))
	}
}

// samples are the iteration's, as its line gives them; nothing if there is no recorder.
func samples() string {
	if len(recorders) == 0 {
		return ""
	}
	cells := map[string][]uint64{}
	for _, r := range recorders {
		cells[r.name] = []uint64{}
		for cell, count := range &r.counts {
			if count > 0 {
				cells[r.name] = append(cells[r.name], uint64(cell), count)
			}
		}
	}
	text, err := json.Marshal(cells)
	require(err)
	return fmt.Sprintf(`,"samples":%s`, text)
}
