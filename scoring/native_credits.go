package scoring

import (
	"fmt"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/glob"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/objects"
)

// full is the credit of a pair that agrees in everything. It is the least common multiple of 1 to 36, so that any
// share of up to 36 keys is a whole number of units and a sum does not depend on its order. (36 is as far as it
// goes: [maxCalls] times full must fit an int64.) A share of more keys is rounded down to a unit, 7e-15 of a pair.
const full = 144403552893600

// maxPairs is the largest number of pairs of a tool and a call of its name that are compared. A run with more is not
// scored, because this work grows with the product of both lists.
const maxPairs = 1 << 20

// credits are all pairs of a class and a call with a credit above 0, call by call.
type credits struct {
	edges []edge
	// fractional: some credit is less than full.
	fractional bool
	// byClass are the edges again, class by class; those of class k are byClass[start[k]:start[k+1]].
	byClass []edge
	start   []int32

	candidates []int32
}

type edge struct {
	class, call int32
	credit      int64
}

// compare finds the credits of a plan. If a credit cannot be known, it returns why, else "".
//
// The outer loop is over calls, the inner one over the classes of the call's name. So each call is decoded at most once,
// and only one decoded call is in memory. Expected values were decoded with the plan.
func (w *nativeRun) compare(p *plan) string {
	c := &w.credits
	c.edges, c.fractional = c.edges[:0], false
	considered := 0
	for j := range w.calls {
		if w.isForbidden(j) {
			continue
		}
		call := &w.calls[j]
		candidates := c.named(p, call.Name)
		if considered += len(candidates); considered > maxPairs {
			return fmt.Sprintf("more than %d pairs of an expected tool and a call would have to be compared", maxPairs)
		}
		w.arguments.unread, w.output.unread = true, true
		for _, k := range candidates {
			credit, why := w.credit(k, &p.classes[k], j)
			if why != "" {
				return why
			}
			if credit > 0 {
				c.edges = append(c.edges, edge{k, int32(j), credit})
				c.fractional = c.fractional || credit < full
			}
		}
	}
	return ""
}

// named are the classes that match a call's name, each once. The slice is valid until the next call of named.
func (c *credits) named(p *plan, name string) []int32 {
	exact := p.exact[name]
	if len(p.patterns) == 0 {
		return exact
	}
	c.candidates = append(c.candidates[:0], exact...)
	for _, g := range p.patterns {
		if glob.Match(g.text, name) && !slices.Contains(c.candidates, g.class) {
			c.candidates = append(c.candidates, g.class)
		}
	}
	return c.candidates
}

// group fills byClass.
func (c *credits) group(classes int) {
	c.start = filled(c.start, classes+1, 0)
	for _, e := range c.edges {
		c.start[e.class+1]++
	}
	for k := range classes {
		c.start[k+1] += c.start[k]
	}
	c.byClass = resized(c.byClass, len(c.edges))
	for _, e := range c.edges {
		c.byClass[c.start[e.class]] = e
		c.start[e.class]++
	}
	copy(c.start[1:], c.start)
	c.start[0] = 0
}

// of returns the edges of a class, in the order of the calls.
func (c *credits) of(k int32) []edge { return c.byClass[c.start[k]:c.start[k+1]] }

// credit is the credit of call j, which has the right name, in a class. If it cannot be known, the second result says why, else it
// is "". If the score is already 0, a payload that was not captured counts as right: the alignment then shows what else
// to fix.
func (w *nativeRun) credit(class int32, k *toolClass, j int) (int64, string) {
	credit, call := int64(full), &w.calls[j]
	if w.namesOnly {
		return credit, ""
	}
	mode := w.argumentMode(k.tool)
	if k.tool.Arguments != (Payload{}) && !nothingToCompare(mode, k.arguments) {
		called, why := w.arguments.read("arguments", call.Name, call.Arguments)
		if why != "" && !w.decided {
			return 0, why
		} else if why == "" {
			credit = w.options.compareArguments(mode, k.expected(mode), w.tolerate(class, k, orEmptyObject(called)), &w.texts)
		}
		if w.texts.Spent() {
			if !w.decided {
				return 0, textsTooLong(call)
			}
			credit = full
		}
		w.guessed = w.guessed || why != "" || w.texts.Spent()
	}
	if k.tool.Output != (Payload{}) && w.options.Output != OutputIgnore && credit > 0 {
		called, why := w.output.read("output", call.Name, call.Output)
		if why != "" && !w.decided {
			return 0, why
		} else if why == "" && !k.output.agrees(w.output.asOutput(call.Output, called), w.options.Output.equal()) {
			return 0, ""
		}
		w.guessed = w.guessed || why != ""
	}
	if k.tool.Where == nil || credit == 0 {
		return credit, ""
	}
	met, why := w.fulfils(k.tool, j)
	if why != "" && w.decided {
		w.guessed = true
		return credit, ""
	}
	if !met {
		return 0, why
	}
	return credit, why
}

func textsTooLong(c *Call) string {
	return fmt.Sprintf("the texts in the arguments of %s take too long to compare", quoted(c.Name))
}

func (w *nativeRun) argumentMode(t *Tool) ArgumentMode {
	if t.Match != ArgumentsUnset {
		return t.Match
	}
	return w.options.Arguments
}

// equal is the comparison of the mode.
func (m OutputMode) equal() func(expected, called Value) bool {
	if m == OutputSubset {
		return objects.Within
	}
	return Equal
}

// nothingToCompare reports whether every call's arguments agree, captured or not.
func nothingToCompare(m ArgumentMode, expected Value) bool {
	switch m {
	case ArgumentsIgnore, ArgumentsUnset:
		return true
	case ArgumentsSubset, ArgumentsFuzzy:
		return expected.Kind() == Object && expected.Len() == 0
	}
	return false
}

// A reader decodes payloads into memory that it uses again. A value is valid until the next payload is read.
type reader struct {
	decoder Decoder
	value   Value
	unread  bool
	// out is the current payload as an output, if fresh.
	out   output
	fresh bool
}

// asOutput is the payload whose value is v, as an output. It is valid as long as v.
func (r *reader) asOutput(p Payload, v Value) *output {
	if p.form == omitted {
		return &output{}
	}
	if !r.fresh {
		r.out, r.fresh = outputOf(p, v), true
	}
	return &r.out
}

// read decodes a payload, once for all classes that a call may be of. If it was not captured, it returns why, else "".
func (r *reader) read(what, name string, p Payload) (Value, string) {
	if !p.Captured() {
		return Value{}, missingPayload(what, name, p)
	}
	if p.form == omitted {
		return Value{}, ""
	}
	if r.unread {
		r.decode(p)
	}
	return r.value, ""
}

func (r *reader) decode(p Payload) {
	r.unread, r.fresh = false, false
	if p.form == jsonText {
		if v, err := r.decoder.Decode(p.text); err == nil {
			r.value = v
			return
		}
	}
	r.value = r.decoder.Text(p.text)
}

// forget drops the text, so that it can be freed.
func (r *reader) forget() {
	r.decoder.ForgetText()
	r.value, r.out, r.fresh = Value{}, output{}, false
}

func missingPayload(what, name string, p Payload) string {
	verb := "were"
	if what == "output" {
		verb = "was"
	}
	if p.form == tooLarge {
		return fmt.Sprintf("%s of %s %s too large to be compared", what, quoted(name), verb)
	}
	return fmt.Sprintf("%s of %s %s not captured", what, quoted(name), verb)
}
