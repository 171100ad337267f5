package main

import "testing"

func TestNumbersComeBack(t *testing.T) {
	for _, text := range []string{"0", "007", "-0.50", "-12.0", "1445144423722", "0.000000000001"} {
		code, ok := numberCode([]byte(text))
		if got := string(appendNumber(nil, code)); !ok || got != text {
			t.Errorf("%s came back as %q", text, got)
		}
	}
	if code, _ := numberCode([]byte("-0.50")); code != (50*16+3)*32+2*2+1 {
		t.Errorf("the code of -0.50 is %d", code)
	}
}

func TestWhatIsNoNumber(t *testing.T) {
	for _, text := range []string{"-", ".5", "5.", "1.2.3", "+5", "--5", "12345678901234", "1e5"} {
		if code, ok := numberCode([]byte(text)); ok {
			t.Errorf("%s has the code %d", text, code)
		}
	}
}

func TestALineIsCutIntoItsTypeAndItsVariables(t *testing.T) {
	p := newParser(&counters{})
	p.parse([]byte("user=root took 17 ms, task_7\nuser=hdfs took 9 ms, task_7"))
	if got := p.types.texts; len(got) != 1 || got[0] != "user=\x11 took \x12 ms, \x11" {
		t.Errorf("types %q", got)
	}
	if got := p.variables.texts; len(got) != 3 || got[0] != "root" || got[1] != "task_7" || got[2] != "hdfs" {
		t.Errorf("variables %q", got)
	}
}
