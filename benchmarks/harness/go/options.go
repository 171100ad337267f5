package harness

import (
	"fmt"
	"io/ioutil"
	"os"
	"strconv"
	"strings"
)

// Options are the arguments, NAME=VALUE each; the lab has checked their values.
type Options map[string]string

// NewOptions reads the command line of a benchmark's program.
func NewOptions(name string) Options {
	benchmark = name
	options := Options{}
	for _, argument := range os.Args[1:] {
		parts := append(strings.SplitN(argument, "=", 2), "")
		options[parts[0]] = parts[1]
	}
	return options
}

// Text is an option's value; the process ends if it is not given.
func (o Options) Text(name string) string {
	if _, given := o[name]; !given {
		ExitIf(fmt.Errorf("option %s=VALUE is missing; ./runfair exec %s --print shows a whole command", name, benchmark))
	}
	return o[name]
}

func (o Options) Counting() bool      { return o["count"] == "1" }
func (o Options) Int(name string) int { return int(o.number(name)) }

// Seed is the generator of everything pseudo-random.
func (o Options) Seed() SplitMix64 { return SplitMix64(o.number("seed")) }

func (o Options) number(name string) uint64 {
	number, err := strconv.ParseUint(o.Text(name), 10, 64)
	require(err)
	return number
}

// ReadInput is the content of the input, a file.
func (o Options) ReadInput() (content []byte, err error) {
	if content, err = ioutil.ReadFile(o.Text("input")); err != nil {
		err = CannotBeRead(o.Text("input"), err)
	}
	return content, err
}

// CannotBeRead is the user's mistake in an input, or in a file of it.
func CannotBeRead(path string, err error) error {
	return fmt.Errorf("input %q cannot be read: %v", path, err)
}

// ExitIf ends the process if there is a user's mistake.
func ExitIf(mistake error) {
	if mistake != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", benchmark, mistake)
		os.Exit(2)
	}
}

// require panics if what cannot go wrong did.
func require(err error) {
	if err != nil {
		panic(err)
	}
}
