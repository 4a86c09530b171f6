package scoring

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/match"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// full is the credit of a pair that agrees completely.
const full = match.Full

const (
	// maxWork bounds the steps of comparing names with patterns, payloads with payloads, and calls with lists of tools. A step is
	// about a byte. A span may write the expected tools.
	maxWork = 1 << 28
	// perCall is the number of steps that a call takes for each list of tools, and for each tool of its name.
	perCall = 64
)

const tooMuchWork = "comparing the calls with the expected tools takes too many steps"

// compare computes the credits of a plan. If a credit cannot be computed, it returns why, else "".
//
// The outer loop is over calls, the inner one over the classes of the call's name. So each call is decoded at most once,
// and only one decoded call is in memory. Expected values were decoded with the plan.
func (w *nativeRun) compare(p *plan) string {
	w.edges.Reset()
	for j := range w.calls {
		if len(w.forbidden) > 0 && w.isForbidden(w.inRun(j)) {
			continue
		}
		w.work.Spend(perCall)
		for _, k := range p.index.Of(w.calls[j].Name, &w.found, &w.work) {
			w.work.Spend(perCall)
			switch credit, why := w.credit(&p.classes[k], j); {
			case w.work.Spent():
				return tooMuchWork
			case why != "":
				return why
			case credit > 0:
				w.edges.Add(k, int32(j), credit)
			}
		}
		if w.work.Spent() {
			return tooMuchWork
		}
	}
	return ""
}

// credit returns the credit of call j, which has the right name, in a class, or why it is not known.
func (w *nativeRun) credit(k *toolClass, j int) (credit int64, why string) {
	if w.namesOnly || k.bare {
		return full, ""
	}
	call := &w.calls[j]
	credit, why = w.agreed(cmp.Or(k.tool.Match, w.options.Arguments), k, call, false)
	if why = w.unlessDecided(why); why != "" || credit == 0 {
		return 0, why
	}
	if k.tool.Output != (Payload{}) && w.options.Output != OutputIgnore {
		agrees, why := w.outputAgrees(k, call, w.options.Output.equal())
		if why = w.unlessDecided(why); why != "" || !agrees {
			return 0, why
		}
	}
	result, why := w.fulfils(k.tool, j)
	if why = w.unlessDecided(why); why != "" || result == ConditionUnmet || result == ConditionFailed {
		return 0, why
	}
	return credit, ""
}

// unlessDecided returns why a credit is not known, unless the score is 0 already. Then what is not known counts as equal, so that the
// alignment shows the other faults.
func (w *nativeRun) unlessDecided(why string) string {
	if !w.decided {
		return why
	}
	w.a.Guessed = w.a.Guessed || why != ""
	return ""
}

// agreed returns the credit of a call's arguments in a class. If that is not known, it returns full, and why. It spends a step for each
// byte. If the work is spent, it returns any credit. forbidden: arguments that are no object are not known to differ from one.
func (w *nativeRun) agreed(m ArgumentMode, k *toolClass, c *Call, forbidden bool) (credit int64, why string) {
	anyAgree := m.ignoresExtra(w.options.Credit) && k.arguments.Kind() == Object && k.arguments.Len() == 0
	if k.tool.Arguments == (Payload{}) || m == ArgumentsIgnore || anyAgree {
		return full, "" // even if they were not captured
	}
	called, why := w.arguments.read(argumentsPart, c.Name, c.Arguments)
	if why == "" && forbidden && k.arguments.Kind() == Object {
		called, why = w.arguments.object(c, called)
	}
	if why != "" {
		return full, why
	}
	w.work.Spend(k.tool.Arguments.Size() + c.Arguments.Size())
	called = w.tolerate(k, c.Arguments, orEmptyObject(called))
	credit = w.options.compareArguments(m, k.expected(m, w.options.Credit), called, &w.texts)
	if w.texts.Spent() {
		return full, fmt.Sprintf("the texts in the arguments of %s take too long to compare", quoted(c.Name))
	}
	return credit, ""
}

// outputAgrees reports whether the output of a call agrees with a class. If that is not known, it returns true, and why. It spends a step for
// each byte.
func (w *nativeRun) outputAgrees(k *toolClass, c *Call, equal compare.Equality) (agrees bool, why string) {
	w.work.Spend(k.tool.Output.Size() + c.Output.Size())
	called, why := w.output.read(outputPart, c.Name, c.Output)
	if why != "" {
		return true, why
	}
	out := outputOf(c.Output, called)
	return k.output.Agrees(&out, equal), ""
}

// equal returns the comparison of the mode.
func (m OutputMode) equal() compare.Equality {
	if m == OutputSubset {
		return compare.Within
	}
	return Equal
}

// ignoresExtra reports whether keys that only the call has do not count.
func (m ArgumentMode) ignoresExtra(c Credit) bool {
	return m == ArgumentsSubset || m == ArgumentsFuzzy || m == ArgumentsPartial && c == CreditExpected
}

// compareArguments returns the credit of called arguments, from 0 to full. The caller must discard it if texts is spent
// afterwards.
func (o *NativeOptions) compareArguments(m ArgumentMode, expected, called Value, texts *names.Budget) int64 {
	agree := true
	switch m {
	case ArgumentsExact:
		agree = Equal(expected, called)
	case ArgumentsSubset:
		agree = compare.Within(expected, called)
	case ArgumentsSuperset:
		agree = compare.Within(called, expected)
	case ArgumentsPartial:
		return compare.Agreement(expected, called, o.Credit == CreditExpected, full)
	case ArgumentsFuzzy:
		agree = compare.Alike(expected, called, o.FuzzyThreshold, texts)
	}
	if agree {
		return full
	}
	return 0
}

// emptyObject is the value of arguments that are empty.
var emptyObject, _ = Decode("{}")

// orEmptyObject returns v, or an empty object if v is null. Telemetry writes both for a call without arguments.
func orEmptyObject(v Value) Value {
	if v.Kind() == Null {
		return emptyObject
	}
	return v
}

// A reader decodes payloads and reuses its memory. A value is valid until the next payload is read.
type reader struct {
	decoder Decoder
	payload Payload // that was read last
	value   Value
	problem error // why the payload is no JSON
}

// read decodes a payload once for all classes of a call. If the payload was not captured, the second result says so.
func (r *reader) read(what part, name string, p Payload) (Value, string) {
	if !p.Captured() {
		return Value{}, missingPayload(what, name, p)
	}
	if p != r.payload {
		r.payload = p
		r.value, r.problem = p.ValueIn(&r.decoder)
	}
	return r.value, ""
}

// object returns arguments that were read, if they are an object, or else why they cannot be compared with one. Null and a
// blank text are no arguments.
func (r *reader) object(c *Call, called Value) (Value, string) {
	var syntax *jsonvalue.SyntaxError
	switch {
	case called.Kind() == Object:
		return called, ""
	case called.Kind() == Null, strings.TrimSpace(c.Arguments.text) == "":
		return emptyObject, ""
	case errors.As(r.problem, &syntax) && syntax.Problem == jsonvalue.TooDeep:
		return called, argumentsPart.lost(c.Name, "too large to be compared")
	}
	return called, argumentsPart.lost(c.Name, "no JSON object")
}

// forget drops the text, so that it can be freed, and much memory.
func (r *reader) forget() {
	r.decoder.Forget()
	r.payload, r.value, r.problem = Payload{}, Value{}, nil
}

// A part is one of the two payloads of a call.
type part uint8

const (
	argumentsPart part = iota
	outputPart
)

// lost returns why a payload cannot be compared.
func (p part) lost(name, how string) string {
	return [...]string{"arguments", "output"}[p] + " of " + quoted(name) + [...]string{" were ", " was "}[p] + how
}

// of returns the payload that p names, of a tool or a call.
func (p part) of(arguments, output Payload) Payload { return [...]Payload{arguments, output}[p] }

// missingPayload says why a run is not evaluable if its score depends on p.
func missingPayload(what part, name string, p Payload) string {
	if p.form == tooLarge {
		return what.lost(name, "too large to be compared")
	}
	return what.lost(name, "not captured")
}
