package scoring

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"

// Uncaptured says how a reference method treats arguments and outputs of calls that were not captured.
type Uncaptured uint8

const (
	UncapturedUnknown Uncaptured = iota // a run whose score depends on them is not evaluable
	UncapturedNone                      // they count as not given: each reference has a default, as for what a tool does not state
)

// A reading is a decoded payload.
type reading struct {
	value   Value
	problem *notScored
	output  *output // the value as an output; nil if it is not given, or for arguments
	given   bool    // false: each reference has its own default
	done    bool
}

// agrees reports whether a call returned what was expected. Either output may not be given.
func (r reading) agrees(called reading, equal compare.Equality) bool {
	if r.output == nil || called.output == nil {
		return equal(r.value, called.value)
	}
	return r.output.Agrees(called.output, equal)
}

// expected reads a payload of tool i. It is not given if the expectation does not state it. It has no problem, because an expectation with a
// payload that is too large is refused.
func (t *referenceRun) expected(i int, p part) reading {
	tool := &t.tools[i]
	return t.read(i, p, p.of(tool.Arguments, tool.Output), tool.Name)
}

// called reads a payload of call j. If it was not captured, it has a problem or is not given: see [Uncaptured].
func (t *referenceRun) called(j int, p part) reading {
	return t.read(len(t.tools)+j, p, t.payload(j, p), t.calls[j].Name)
}

// objects reads the arguments of tool i and call j.
func (t *referenceRun) objects(i, j int) (e, c Value, f *notScored) {
	want, got := t.expected(i, argumentsPart), t.called(j, argumentsPart)
	if f = got.problem; f == nil {
		e, f = t.object(want, "arguments", t.tools[i].Name)
	}
	if f == nil {
		c, f = t.object(got, "arguments", t.calls[j].Name)
	}
	return e, c, f
}

// object returns arguments that were read, as an object. Arguments that were not given are {}, but null in DeepEval.
func (t *referenceRun) object(r reading, what, name string) (Value, *notScored) {
	switch {
	case r.problem != nil:
		return Value{}, r.problem
	case r.value.Kind() == Object, t.system == deepEval && r.value.Kind() == Null:
		return r.value, nil
	case !r.given:
		return emptyObject, nil
	case t.system == evalSharp && r.value.Kind() == Null:
		return Value{}, failed("arguments of %s are null, on which EvalSharp throws", quoted(name))
	}
	return Value{}, failed("%s of %s are no JSON object, which %s requires", what, quoted(name), t.system)
}

// oneIf returns the credit of a comparison that is right or wrong.
func oneIf(right bool) float64 {
	if right {
		return 1
	}
	return 0
}

// payload returns one payload of call j, with [Uncaptured] applied.
func (t *referenceRun) payload(j int, p part) Payload {
	payload := p.of(t.calls[j].Arguments, t.calls[j].Output)
	if t.uncaptured == UncapturedUnknown || payload.form != notCaptured {
		return payload
	}
	if !t.assumed {
		t.assumed = true
		t.note("arguments and outputs that were not captured count as none")
	}
	return Omitted()
}

// read decodes a payload of a tool or call called name, once, and keeps it at a place in the cache.
func (t *referenceRun) read(at int, p part, payload Payload, name string) reading {
	if t.cache == nil {
		t.cache = make([][2]reading, len(t.tools)+len(t.calls))
	}
	r := &t.cache[at][p]
	if r.done {
		return *r
	}
	r.done = true
	switch expected := at < len(t.tools); {
	case payload.form == omitted, payload.form == notCaptured && expected: // it is not given
	case payload.form == notCaptured:
		r.problem = &notScored{NotEvaluable, p.lost(name, "not captured")}
	case payload.form == tooLarge:
		r.problem = &notScored{NotEvaluable, p.lost(name, "too large to keep")}
	default:
		r.value, _ = payload.Value()
		r.given = true
		if p == outputPart {
			o := outputOf(payload, r.value)
			if expected {
				o = wantedOutput(payload, r.value)
			}
			r.output = &o
		}
	}
	return *r
}

const (
	// mostBytes bounds the bytes of JSON that a reference compares in one verdict. They take about a second.
	mostBytes = 1 << 28
	// fewCells is a number of pairs so small that their bytes need not be counted.
	fewCells = 1 << 10
)

// overload returns a problem if comparing the lists would take too long.
func (t *referenceRun) overload() *notScored {
	cells := len(t.tools) * len(t.calls)
	if cells > maxCells {
		return notEvaluable("%d expected tools and %d calls are more than this method compares", len(t.tools), len(t.calls))
	}
	if cells > fewCells && t.bytes() > mostBytes {
		return notEvaluable("the payloads of %d expected tools and %d calls are more than this method compares", len(t.tools), len(t.calls))
	}
	return nil
}

// bytes returns a bound on the bytes that are read to compare every tool with every call of its name.
func (t *referenceRun) bytes() (total int) {
	arguments, output := t.Compares()
	if !arguments && !output {
		return 0
	}
	size := func(a, o Payload) (n int) {
		if arguments {
			n += a.Size()
		}
		if output {
			n += o.Size()
		}
		return n
	}
	named := map[string]struct{ tools, bytes int }{}
	for i := range t.tools {
		e := &t.tools[i]
		n := named[e.Name]
		n.tools, n.bytes = n.tools+1, n.bytes+size(e.Arguments, e.Output)
		named[e.Name] = n
	}
	for j := range t.calls {
		c := &t.calls[j]
		n := named[c.Name]
		total += n.bytes + n.tools*size(c.Arguments, c.Output)
	}
	return total
}
