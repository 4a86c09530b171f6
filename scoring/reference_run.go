package scoring

import (
	"fmt"
	"slices"
)

// A notScored is why a reference method has no score for a run.
type notScored struct {
	status Status
	why    string
}

func failed(format string, args ...any) *notScored {
	return &notScored{Failed, fmt.Sprintf(format, args...)}
}

func notEvaluable(format string, args ...any) *notScored {
	return &notScored{NotEvaluable, fmt.Sprintf(format, args...)}
}

// A referenceRun scores one run with a reference method. The methods embed it.
type referenceRun struct {
	tools []Tool
	calls []Call
	align Alignment
	cache []reading // two for each tool, then two for each call; made when the first payload is read
	// uncaptured is how payloads that were not captured count.
	uncaptured Uncaptured
	assumed    bool // some payload that was not captured counted as none
}

// Uncaptured says how a reference method treats arguments and outputs of calls that were not captured.
type Uncaptured uint8

const (
	// UncapturedUnknown: a run whose score depends on them is not evaluable.
	UncapturedUnknown Uncaptured = iota
	// UncapturedNone: they count as not given. Each reference has a default for that, the same as for an expected tool that
	// does not state them.
	UncapturedNone
)

// uncapturedWords has the names of the values in a configuration, in the order of the constants.
var uncapturedWords = []string{"unknown", "none"}

// UncapturedWords returns the words that [ParseUncaptured] accepts, the default first.
func UncapturedWords() []string { return slices.Clone(uncapturedWords) }

// ParseUncaptured parses a word of a configuration. It returns false for an unknown word.
func ParseUncaptured(word string) (Uncaptured, bool) {
	return parseWord[Uncaptured](uncapturedWords, word)
}

func (u Uncaptured) String() string { return wordOf(uncapturedWords, u) }

// tools returns the expected tools, none for a nil expectation.
func (e *Expectation) tools() []Tool {
	if e == nil {
		return nil
	}
	return e.settings.Tools
}

// pointers returns pointers to the expected tools. It shares the plan's list if that has the same tools.
func (e *Expectation) pointers() []*Tool {
	tools := e.tools()
	if len(tools) > 0 && len(e.plans) == 1 && len(e.plans[0].shape.Rows) == len(tools) && len(e.plans[0].required) == len(tools) {
		return e.plans[0].required
	}
	pointers := make([]*Tool, len(tools))
	for i := range tools {
		pointers[i] = &tools[i]
	}
	return pointers
}

// newReferenceRun returns a run without pairs.
func newReferenceRun(e *Expectation, calls []Call) referenceRun {
	return referenceRun{tools: e.tools(), calls: calls, align: Alignment{Expected: e.pointers(), Called: calls}}
}

// pair matches call j with expected tool i.
func (t *referenceRun) pair(i, j int, credit float64) {
	if t.align.Pairs == nil {
		t.align.Pairs = make([]Pair, 0, min(len(t.tools), len(t.calls)))
	}
	// DeepEval's sum of shares may round to a little more than the whole.
	t.align.Pairs = append(t.align.Pairs, Pair{Expected: i, Called: j, Credit: min(credit, 1)})
}

// note adds a fact that no pair shows, unless it is there already.
func (t *referenceRun) note(format string, args ...any) {
	if fact := fmt.Sprintf(format, args...); !slices.Contains(t.align.Notes, fact) {
		t.align.Notes = append(t.align.Notes, fact)
	}
}

// verdict returns the verdict of the run: f if it is not nil, else the score.
func (t *referenceRun) verdict(score, threshold float64, f *notScored) Verdict {
	if f != nil {
		return unscored(f.status, threshold, f.why, t.align)
	}
	return scored(score, threshold, t.align)
}

// A reading is a decoded payload.
type reading struct {
	value   Value
	problem *notScored
	output  *output // the value as an output; nil if it is not given, or for arguments
	given   bool    // false: each reference has its own default
	done    bool
}

// agrees reports whether a call returned what was expected. Either output may not be given.
func (r reading) agrees(called reading, equal func(e, c Value) bool) bool {
	if r.output == nil || called.output == nil {
		return equal(r.value, called.value)
	}
	return r.output.Agrees(called.output, equal)
}

// expected reads a payload of tool i. It is not given if the expectation does not state it.
func (t *referenceRun) expected(i int, p part) reading {
	tool := &t.tools[i]
	payload := p.of(tool.Arguments, tool.Output)
	if payload.form == notCaptured {
		return reading{}
	}
	return t.read(2*i+int(p), payload, tool.Name)
}

// called reads a payload of call j. If it was not captured, it has a problem or is not given: see [Uncaptured].
func (t *referenceRun) called(j int, p part) reading {
	return t.read(2*(len(t.tools)+j)+int(p), t.payload(j, p), t.calls[j].Name)
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

// read decodes the payload of a tool or call called name, once, and keeps it at slot.
func (t *referenceRun) read(slot int, payload Payload, name string) reading {
	if t.cache == nil {
		t.cache = make([]reading, 2*(len(t.tools)+len(t.calls)))
	}
	r := &t.cache[slot]
	if r.done {
		return *r
	}
	r.done = true
	switch p := part(slot % 2); payload.form {
	case omitted:
	case notCaptured:
		r.problem = &notScored{NotEvaluable, p.lost(name, "not captured")}
	case tooLarge:
		r.problem = &notScored{NotEvaluable, p.lost(name, "too large to keep")}
	default:
		r.value, _ = payload.Value()
		r.given = true
	}
	if r.given && slot%2 == int(outputPart) {
		o := outputOf(payload, r.value)
		if slot < 2*len(t.tools) {
			o = wantedOutput(payload, r.value)
		}
		r.output = &o
	}
	return *r
}

// both reads the same part of tool i and of call j.
func (t *referenceRun) both(i, j int, p part) (e, c reading, f *notScored) {
	e, c = t.expected(i, p), t.called(j, p)
	if e.problem != nil {
		return e, c, e.problem
	}
	return e, c, c.problem
}
