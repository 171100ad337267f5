package harness

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
)

// Param is a parameter that a size gives its benchmark.
type Param struct {
	Name    string
	Default string
}

// Options is the command line, with the contract's defaults filled in.
type Options struct {
	Workload    string
	Size        string
	Seed        uint64
	Threads     int
	Inputs      []string
	Iterations  int64         // 0: no limit
	UntilTold   bool          // --iterations 0: go on until standard input ends
	MaxDuration time.Duration // negative: no limit
	Count       bool
	params      map[string]string
}

// Int is the parameter as an integer from least to greatest.
func (o *Options) Int(name string, least, greatest int) (int, error) {
	value, err := decimal(o.params[name], uint64(greatest))
	if err != nil || value < uint64(least) {
		return 0, mistakenInteger("--param "+name, uint64(least), uint64(greatest), o.params[name])
	}
	return int(value), nil
}

// ReadInput is the content of the i-th --input.
func (o *Options) ReadInput(i int) ([]byte, error) {
	content, err := os.ReadFile(o.Inputs[i])
	var fault *os.PathError
	if errors.As(err, &fault) {
		// The fault's own text would hold the path as it stands, be it of several lines.
		return nil, fmt.Errorf("--input %q cannot be read: %w", o.Inputs[i], fault.Err)
	}
	return content, err
}

// parse reads the arguments that follow the program's name. Its errors say what
// the user should do.
func parse(b *Benchmark, arguments []string) (*Options, error) {
	options := &Options{
		Workload:    "classic",
		Size:        "unnamed",
		Seed:        1,
		Threads:     1,
		Iterations:  -1,
		MaxDuration: -1,
		params:      map[string]string{},
	}
	for _, param := range b.Params {
		options.params[param.Name] = param.Default
	}
	for i := 0; i < len(arguments); i++ {
		option := arguments[i]
		if option == "--count" {
			options.Count = true
			continue
		}
		if !takesValue(option) {
			return nil, fmt.Errorf("unknown option %q; the options are --workload, --size, --seed, --threads, --input, --param, --iterations, --max-seconds, --count", option)
		}
		i++
		if i == len(arguments) || strings.HasPrefix(arguments[i], "--") {
			return nil, fmt.Errorf("%s needs a value after it", option)
		}
		if err := options.set(b, option, arguments[i]); err != nil {
			return nil, err
		}
	}
	if len(options.Inputs) != b.Inputs {
		return nil, fmt.Errorf("takes %d --input PATH, not %d", b.Inputs, len(options.Inputs))
	}
	options.UntilTold = options.Iterations == 0
	if options.Iterations < 0 {
		options.Iterations = 1
		if options.MaxDuration >= 0 {
			options.Iterations = 0
		}
	}
	return options, nil
}

func takesValue(option string) bool {
	switch option {
	case "--workload", "--size", "--seed", "--threads", "--input", "--param", "--iterations", "--max-seconds":
		return true
	}
	return false
}

func (o *Options) set(b *Benchmark, option, value string) error {
	switch option {
	case "--workload":
		if !contains(b.Workloads, value) {
			return fmt.Errorf("unknown workload %q; it is one of %s", value, strings.Join(b.Workloads, ", "))
		}
		o.Workload = value
	case "--size":
		o.Size = value
	case "--input":
		o.Inputs = append(o.Inputs, value)
	case "--param":
		return o.setParam(b, value)
	case "--seed":
		seed, err := decimal(value, math.MaxUint64)
		if err != nil {
			return mistakenInteger(option, 0, math.MaxUint64, value)
		}
		o.Seed = seed
	case "--threads":
		threads, err := decimal(value, math.MaxInt32)
		if err != nil || threads == 0 {
			return mistakenInteger(option, 1, math.MaxInt32, value)
		}
		o.Threads = int(threads)
	case "--iterations":
		iterations, err := decimal(value, math.MaxInt64)
		if err != nil {
			return mistakenInteger(option, 0, math.MaxInt64, value)
		}
		o.Iterations = int64(iterations)
	case "--max-seconds":
		duration, err := seconds(value)
		if err != nil {
			return fmt.Errorf("--max-seconds takes a decimal number such as 2.5, not %q", value)
		}
		o.MaxDuration = duration
	}
	return nil
}

func (o *Options) setParam(b *Benchmark, assignment string) error {
	equals := strings.IndexByte(assignment, '=')
	if equals < 0 {
		return fmt.Errorf("--param takes NAME=VALUE, not %q", assignment)
	}
	name := assignment[:equals]
	if _, known := o.params[name]; !known {
		if len(b.Params) == 0 {
			return fmt.Errorf("has no parameters; leave %q out", name)
		}
		names := make([]string, len(b.Params))
		for i, param := range b.Params {
			names[i] = param.Name
		}
		return fmt.Errorf("unknown parameter %q; it is one of %s", name, strings.Join(names, ", "))
	}
	o.params[name] = assignment[equals+1:]
	return nil
}

var errNumber = errors.New("not such a number")

// decimal reads ASCII digits alone: no sign, no underscore, no other base.
func decimal(text string, greatest uint64) (uint64, error) {
	if !allDigits(text) {
		return 0, errNumber
	}
	value, err := strconv.ParseUint(text, 10, 64)
	if err != nil || value > greatest {
		return 0, errNumber
	}
	return value, nil
}

func mistakenInteger(what string, least, greatest uint64, text string) error {
	return fmt.Errorf("%s takes an integer from %d to %d, not %q", what, least, greatest, text)
}

// seconds reads digits with or without a fraction: neither exponent nor infinity, and
// below 2^63 nanoseconds.
func seconds(text string) (time.Duration, error) {
	whole, fraction := text, "0"
	if point := strings.IndexByte(text, '.'); point >= 0 {
		whole, fraction = text[:point], text[point+1:]
	}
	if !allDigits(whole) || !allDigits(fraction) {
		return 0, errNumber
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || value*float64(time.Second) >= math.MaxInt64 {
		return 0, errNumber
	}
	return time.Duration(value * float64(time.Second)), nil
}

func allDigits(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

func contains(names []string, name string) bool {
	for _, known := range names {
		if known == name {
			return true
		}
	}
	return false
}
