// The real harness has a native clock here; this one needs none.
extern "C" int nothing() { return 0; }
