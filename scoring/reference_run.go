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

// A referenceRun is one expectation held against one run by a reference method.
type referenceRun struct {
	tools []Tool
	calls []Call
	align Alignment
	cache []reading // of the tools, then of the calls, two each; made when the first payload is read
	// uncaptured is what a payload of a call counts as that the telemetry does not carry.
	uncaptured Uncaptured
	assumed    bool // that there is none, of one payload or more
}

// Uncaptured is what a reference method takes for the arguments or the output of a call that the telemetry does not
// carry.
type Uncaptured uint8

const (
	// UncapturedUnknown: nobody knows. A run whose score depends on it is not evaluable.
	UncapturedUnknown Uncaptured = iota
	// UncapturedNone: there are none, as in a test case that is built from such telemetry. The reference then has a
	// default of its own, the same as for an expected tool that does not state them.
	UncapturedNone
)

// uncapturedWords are the words of a configuration, in the order of the constants.
var uncapturedWords = []string{"unknown", "none"}

// UncapturedWords are the words that [ParseUncaptured] knows, the default first.
func UncapturedWords() []string { return slices.Clone(uncapturedWords) }

// ParseUncaptured reads the word of a configuration.
func ParseUncaptured(word string) (Uncaptured, bool) {
	return parseWord[Uncaptured](uncapturedWords, word)
}

func (u Uncaptured) String() string { return wordOf(uncapturedWords, u) }

// tools is the list of expected tools. No expectation expects nothing.
func (e *Expectation) tools() []Tool {
	if e == nil {
		return nil
	}
	return e.settings.Tools
}

// pointers are the tools one by one. For an expectation that a reference method can judge they stand in its plan.
func (e *Expectation) pointers() []*Tool {
	tools := e.tools()
	if len(tools) > 0 && len(e.plans) == 1 && len(e.plans[0].rows) == len(tools) && len(e.plans[0].required) == len(tools) {
		return e.plans[0].required
	}
	pointers := make([]*Tool, len(tools))
	for i := range tools {
		pointers[i] = &tools[i]
	}
	return pointers
}

// newReferenceRun pairs nothing yet.
func newReferenceRun(e *Expectation, calls []Call) referenceRun {
	return referenceRun{tools: e.tools(), calls: calls, align: Alignment{Expected: e.pointers(), Called: calls}}
}

// pair takes call j for expected tool i.
func (t *referenceRun) pair(i, j int, credit float64) {
	if t.align.Pairs == nil {
		t.align.Pairs = make([]Pair, 0, min(len(t.tools), len(t.calls)))
	}
	// DeepEval's sum of shares may round to a little more than the whole.
	t.align.Pairs = append(t.align.Pairs, Pair{Expected: i, Called: j, Credit: min(credit, 1)})
}

// note adds a fact that no pair shows, once.
func (t *referenceRun) note(format string, args ...any) {
	if fact := fmt.Sprintf(format, args...); !slices.Contains(t.align.Notes, fact) {
		t.align.Notes = append(t.align.Notes, fact)
	}
}

// verdict is the outcome of the run: f, or else the score.
func (t *referenceRun) verdict(score, threshold float64, f *notScored) Verdict {
	if f != nil {
		return unscored(f.status, threshold, f.why, t.align)
	}
	return scored(score, threshold, t.align)
}

// A part says which payload is meant.
type part uint8

const (
	argumentsPart part = iota
	outputPart
)

func (p part) String() string { return [...]string{"arguments", "output"}[p] }

// A reading is a decoded payload.
type reading struct {
	value   Value
	problem *notScored
	output  *output // the value as an output, where it is one and is given
	given   bool    // false: there is none, and each reference has its own default for that
	done    bool
}

// agrees reports whether a call returned what was expected. Neither needs to be given.
func (r reading) agrees(called reading, equal func(e, c Value) bool) bool {
	if r.output == nil || called.output == nil {
		return equal(r.value, called.value)
	}
	return r.output.agrees(called.output, equal)
}

// lost is the refusal of a payload that is not at hand.
func (p part) lost(name, how string) *notScored {
	verb := "were"
	if p == outputPart {
		verb = "was"
	}
	return notEvaluable("%s of %s %s %s", p, quoted(name), verb, how)
}

// expected reads a payload of tool i. What the expectation leaves open is not given.
func (t *referenceRun) expected(i int, p part) reading {
	tool := &t.tools[i]
	payload := tool.part(p)
	if payload.form == notCaptured {
		return reading{}
	}
	return t.read(2*i+int(p), payload, tool.Name)
}

// called reads a payload of call j. What the telemetry does not carry is a refusal, or else not given.
func (t *referenceRun) called(j int, p part) reading {
	return t.read(2*(len(t.tools)+j)+int(p), t.payload(j, p), t.calls[j].Name)
}

// payload is what p means of call j.
func (t *referenceRun) payload(j int, p part) Payload {
	payload := t.calls[j].part(p)
	if t.uncaptured == UncapturedUnknown || payload.form != notCaptured {
		return payload
	}
	if !t.assumed {
		t.assumed = true
		t.note("arguments and outputs that were not captured count as none")
	}
	return Omitted()
}

// part is the payload that p means.
func (t *Tool) part(p part) Payload {
	if p == outputPart {
		return t.Output
	}
	return t.Arguments
}

// part is the payload that p means.
func (c *Call) part(p part) Payload {
	if p == outputPart {
		return c.Output
	}
	return c.Arguments
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
		r.problem = p.lost(name, "not captured")
	case tooLarge:
		r.problem = p.lost(name, "too large to keep")
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

// both reads the same part of tool i and call j.
func (t *referenceRun) both(i, j int, p part) (e, c reading, f *notScored) {
	e, c = t.expected(i, p), t.called(j, p)
	if e.problem != nil {
		return e, c, e.problem
	}
	return e, c, c.problem
}
