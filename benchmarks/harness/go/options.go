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

func newOptions(name string) Options {
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
		exitIf(fmt.Errorf("option %s=VALUE is missing; ./runfair exec %s --print shows a whole command", name, benchmark))
	}
	return o[name]
}

func (o Options) Int(name string) int {
	number, err := strconv.Atoi(o.Text(name))
	require(err)
	return number
}

// Seed is the generator of everything pseudo-random.
func (o Options) Seed() SplitMix64 {
	seed, err := strconv.ParseUint(o.Text("seed"), 10, 64)
	require(err)
	return SplitMix64(seed)
}

func (o Options) Counting() bool { return o["count"] == "1" }

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

// CannotBeListenedOn is the user's mistake in an address.
func (o Options) CannotBeListenedOn(err error) error {
	return fmt.Errorf("host %q port %s cannot be listened on: %q", o.Text("host"), o.Text("port"), err)
}

// exitIf ends the process if there is a user's mistake.
func exitIf(mistake error) {
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
