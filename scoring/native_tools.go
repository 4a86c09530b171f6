package scoring

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
)

// A Condition is the where of a tool: a condition on a call besides name and payloads. This package does not know its
// language; [Conditions] evaluate it.
type Condition interface {
	// String returns the condition as it was written. Conditions with equal texts are equal.
	String() string
	// Reads reports which payloads of a call the condition may read.
	Reads() (arguments, output bool)
}

// Conditions evaluate conditions on the calls of one run.
type Conditions interface {
	// Evaluate evaluates a condition on a call. call is an index into the calls of the run.
	Evaluate(c Condition, call int) ConditionResult
	// Sides returns what a condition that does not hold reads of a call, as a reason with values says it: "amount is 250". It is empty if
	// values must not be quoted.
	Sides(c Condition, call int) string
}

// ConditionResult is the outcome of a condition on a call.
type ConditionResult uint8

const (
	ConditionUnmet       ConditionResult = iota // it does not hold
	ConditionMet                                // it holds
	ConditionFailed                             // it could not be evaluated: an expected tool then does not match
	ConditionNoArguments                        // it reads arguments that were not captured, or are too large
	ConditionNoOutput                           // the same for the output
	ConditionNoEarlier                          // it reads the output of an earlier call, which was not captured, or is too large
	ConditionNoAnchor                           // it reads the span of the run, which has none
	ConditionTooLong                            // the conditions of the run would read too much
)

// With returns a copy of e that evaluates its conditions with c, for one run. Without With, a run whose score depends on a
// condition is not evaluable.
func (e *Expectation) With(c Conditions) *Expectation {
	with := *e
	with.conditions = c
	return &with
}

// HasConditions reports whether any tool has a condition.
func (e *Expectation) HasConditions() bool {
	states := func(p plan) bool { return p.where }
	return states(e.forbidden) || slices.ContainsFunc(e.plans, states) || slices.ContainsFunc(e.turns, (*Expectation).HasConditions)
}

func (t *Tool) whereText() string {
	if t.Where == nil {
		return ""
	}
	return t.Where.String()
}

// whereReads reports which payloads the condition of the tool reads.
func (t *Tool) whereReads() (arguments, output bool) {
	if t.Where == nil {
		return false, false
	}
	return t.Where.Reads()
}

// maxUnmet bounds the calls in Alignment.Unmet. A reason has no room for more.
const maxUnmet = 1024

// fulfils evaluates the condition of a tool on call j. If it cannot be evaluated for lack of data, why says so.
func (w *nativeRun) fulfils(t *Tool, j int) (result ConditionResult, why string) {
	u := Unmet{Tool: t, Called: w.inRun(j), Before: w.yetToCome(t, j)}
	switch {
	case u.Before != nil:
	case t.Where == nil:
		return ConditionMet, ""
	case w.e.conditions == nil:
		return ConditionNoAnchor, "conditions on calls cannot be evaluated here"
	default:
		result = w.e.conditions.Evaluate(t.Where, w.e.first+u.Called)
		u.Failed = result == ConditionFailed
	}
	switch call := &w.calls[j]; result {
	case ConditionMet:
		return result, ""
	case ConditionNoArguments:
		return result, missingPayload(argumentsPart, call.Name, call.Arguments)
	case ConditionNoOutput:
		return result, missingPayload(outputPart, call.Name, call.Output)
	case ConditionNoEarlier:
		return result, fmt.Sprintf("the condition of %s reads the output of an earlier call, which was not captured or is too large", quoted(t.label()))
	case ConditionNoAnchor:
		return result, fmt.Sprintf("the condition of %s reads the span of the run, which did not arrive", quoted(t.label()))
	case ConditionTooLong:
		return result, "the conditions of the expected tools would read too much of this run"
	}
	if len(w.a.Unmet) < maxUnmet {
		if u.Before == nil && len(w.a.Unmet) < maxItems {
			u.Sides = w.e.conditions.Sides(t.Where, w.e.first+u.Called)
		}
		w.a.Unmet = append(w.a.Unmet, u)
	}
	return result, ""
}

// yetToCome returns which tools that t names in After had no call before call j, whatever that call's arguments. Calls without an order
// among each other (see [ConcurrentAnyOrder]) may have either order, so both came before the other.
func (w *nativeRun) yetToCome(t *Tool, j int) (tools []string) {
	at := w.inRun(j)
	for _, pattern := range t.After {
		if first := w.firstOf(pattern, at); first < 0 || first > at && !w.mayBeBefore(first, at) {
			tools = append(tools, pattern)
		}
	}
	return tools
}

// startedEarly reports whether the call of a pair began before a call that it must come after. Both then ran at the same time.
func (w *nativeRun) startedEarly(p Pair) bool {
	return slices.ContainsFunc(w.a.Expected[p.Expected].After, func(pattern string) bool { return w.firstOf(pattern, p.Called) > p.Called })
}

// firstOf returns the first call of the run that a pattern names, other than one, or -1.
func (w *nativeRun) firstOf(pattern string, other int) int {
	for i := range w.run {
		if i != other && w.work.Match(pattern, w.run[i].Name) {
			return i
		}
	}
	return -1
}

// mayBeBefore reports whether a call may come before one that began earlier, because both ran at the same time.
func (w *nativeRun) mayBeBefore(call, earlier int) bool {
	a, b, unknown := w.run[call].Time, w.run[earlier].Time, Interval{}
	return w.options.Concurrent == ConcurrentAnyOrder && a != unknown && b != unknown && !b.Before(a)
}

// failedConditions returns a note for each tool whose condition could not be evaluated on some call.
func (w *nativeRun) failedConditions() (notes []string) {
	if len(w.a.Unmet) == 0 {
		return nil
	}
	var tools []string
	counts := map[string]int{}
	for _, u := range w.a.Unmet {
		if u.Failed {
			label := clean(u.Tool.label())
			if counts[label]++; counts[label] == 1 {
				tools = append(tools, label)
			}
		}
	}
	for _, label := range tools[:min(len(tools), maxItems)] {
		notes = append(notes, fmt.Sprintf("the condition of %s could not be evaluated on %s", label, calls(counts[label])))
	}
	return notes
}

func calls(n int) string { return plural(n, "call", "calls") }

// unmet returns what Unmet says of a call for a tool, or nil.
func (a *Alignment) unmet(t *Tool, called int) *Unmet {
	i := slices.IndexFunc(a.Unmet, func(u Unmet) bool {
		return u.Called == called && u.Tool.whereText() == t.whereText() && slices.Equal(u.Tool.After, t.After)
	})
	if i < 0 {
		return nil
	}
	return &a.Unmet[i]
}

// fault returns the kind of fault that an unmet condition is, and the rule with what its sides are if that is known:
// "needs amount <= 100; amount is 250", or "must come after search".
func (u *Unmet) fault() (kind FindingKind, rule string) {
	if u.Before != nil {
		return OutOfOrder, "must come after " + clean(strings.Join(u.Before, ", "))
	}
	rule = "needs " + SafeName(u.Tool.whereText(), maxPath)
	if u.Sides != "" {
		rule += "; " + u.Sides
	}
	return UnmetCondition, rule
}

// A tolerance is a tool's IgnoreArguments, ArgumentDefaults and Matchers, compiled.
type tolerance struct {
	// changes are for the arguments of a call. Their defaults are the ArgumentDefaults and the optional matchers.
	changes compare.Changes
	// filled are the expected arguments with the defaults. Modes that count extra keys of the call compare with it.
	filled Value
}

// tolerant reports whether the tool has a tolerance.
func (t *Tool) tolerant() bool {
	return len(t.IgnoreArguments)+len(t.Matchers) > 0 || t.ArgumentDefaults != Payload{}
}

// tolerance compiles the tolerance of a tool. It also returns arguments, the expected ones, without the ignored keys and with those of
// matchers. If shown is true, matchers expect a text that says what they accept, and what they reject stays as it is.
func (t *Tool) tolerance(arguments Value, shown bool) (*tolerance, Value) {
	if !t.tolerant() {
		return nil, arguments
	}
	k := &tolerance{changes: compare.Changes{Ignore: t.IgnoreArguments, KeepRejected: shown}}
	var optional []compare.Matcher
	for i := range t.Matchers {
		m, _ := t.Matchers[i].compile()
		if shown {
			m.Expected = StringValue(t.Matchers[i].wanted())
		}
		k.changes.Matchers = append(k.changes.Matchers, m)
		if t.Matchers[i].Optional {
			optional = append(optional, m)
		}
	}
	defaults, _ := t.ArgumentDefaults.Value()
	defaults = orEmptyObject(defaults)
	work := names.Budget(maxWork)
	plain, _ := Decode(compare.Rewrite(arguments, &compare.Changes{Ignore: t.IgnoreArguments, Defaults: skeleton(k.changes.Matchers)}, &work))
	k.filled, _ = Decode(compare.Rewrite(plain, &compare.Changes{Ignore: t.IgnoreArguments, Defaults: defaults}, &work))
	k.changes.Defaults, _ = Decode(compare.Rewrite(defaults, &compare.Changes{Defaults: skeleton(optional)}, &work))
	return k, plain
}

// expected returns the expected arguments for a mode.
func (k *toolClass) expected(m ArgumentMode, c Credit) Value {
	if k.tolerance != nil && !m.ignoresExtra(c) {
		return k.tolerance.filled
	}
	return k.arguments
}

// tolerate returns arguments, which were read as called, without ignored keys and with defaults. It changes them once for all tools of a
// tolerance that follow each other. The value is valid until the next call of tolerate. If the work is spent, it is any value.
func (w *nativeRun) tolerate(k *toolClass, of Payload, called Value) Value {
	if k.tolerance == nil {
		return called
	}
	r := &w.tolerated
	if r.payload != of || w.rules != k.rules {
		r.value, _ = r.decoder.Decode(compare.Rewrite(called, &k.tolerance.changes, &w.work)) // it is valid JSON
		r.payload, w.rules = of, k.rules
	}
	return r.value
}

// tolerated returns both arguments as a mode compares them, for a reason.
func (t *Tool) tolerated(m ArgumentMode, credit Credit, expected, called Value) (e, c Value) {
	k := toolClass{}
	k.tolerance, k.arguments = t.tolerance(orEmptyObject(expected), true)
	work := names.Budget(maxWork >> 8) // a reason may ask for several calls; beyond, it lacks keys
	c, _ = Decode(compare.Rewrite(orEmptyObject(called), &k.tolerance.changes, &work))
	return k.expected(m, credit), c
}

// A Matcher says which values of one key of the arguments agree, where one value is not enough. It counts as a key of the expected
// arguments, in every mode.
type Matcher struct {
	// Path is the path of the key: "city", or "address.city" for a key of a nested object.
	Path string
	Rule MatcherRule
	// Value is what the rule compares with.
	Value Payload
	// Within is how far a number may be from Value under [Near]: "0.5", or "5%" of it.
	Within string
	// Optional: a call that lacks the key agrees too.
	Optional bool
}

// MatcherRule says how a [Matcher] compares.
type MatcherRule uint8

const (
	OneOf      MatcherRule = iota // a value equals an element of Value
	Near                          // a number is near Value
	Loose                         // a text equals Value but for case, spaces and punctuation
	InAnyOrder                    // a list has the elements of Value in any order
)

// String returns the rule as a configuration has it.
func (r MatcherRule) String() string { return [...]string{"one_of", "near", "loose", "any_order"}[r] }

// compile returns the matcher for comparisons, or the rule that m breaks. Expected is a value that it accepts.
func (m *Matcher) compile() (c compare.Matcher, broken string) {
	v, _ := m.Value.Value()
	c = compare.Matcher{Path: m.Path, Expected: v}
	switch m.Rule {
	case OneOf:
		if v.Kind() != Array || v.Len() == 0 {
			return c, "must be a list of at least one value"
		}
		for first := range v.Elements() {
			c.Expected = first
			break
		}
		c.Accepts = compare.OneOf(v)
	case InAnyOrder:
		if v.Kind() != Array {
			return c, "must be a list"
		}
		c.Accepts = compare.AnyOrder(v)
	case Loose:
		if v.Kind() != String || compare.Plain(v.Text()) == "" {
			return c, "must be a text with a letter or a digit"
		}
		c.Accepts = compare.Loosely(v.Text())
	case Near:
		if v.Kind() != Number {
			return c, "must be a number"
		}
		var ok bool
		if c.Accepts, ok = compare.Near(v.Lexeme(), m.Within); !ok {
			return c, "needs `within`, a number such as 0.5 or a share such as 5%"
		}
	}
	return c, ""
}

// wanted returns what the matcher accepts, as a configuration has it: one_of ["a","b"], or near 100 within 5%.
func (m *Matcher) wanted() string {
	text := m.Rule.String() + " " + SafeName(string(m.Value.AppendJSON(nil)), maxPath)
	if m.Rule == Near {
		text += " within " + m.Within
	}
	return text
}

// sayWanted says, of the differences at keys with matchers, what these accept.
func (t *Tool) sayWanted(differences []Difference) {
	for i := range t.Matchers {
		wanted := t.Matchers[i].wanted()
		for j := range differences {
			if differences[j].Expected.Text() == wanted {
				differences[j].Wanted = wanted
			}
		}
	}
}

// skeleton returns an object with the values that matchers expect, at their paths.
func skeleton(matchers []compare.Matcher) Value {
	root := map[string]any{}
	for i := range matchers {
		at := root
		keys := strings.Split(matchers[i].Path, ".")
		for _, key := range keys[:len(keys)-1] {
			next, _ := at[key].(map[string]any)
			if next == nil {
				next = map[string]any{}
				at[key] = next
			}
			at = next
		}
		at[keys[len(keys)-1]] = json.RawMessage(compare.Rewrite(matchers[i].Expected, &compare.Changes{}, nil))
	}
	text, _ := json.Marshal(root)
	v, _ := Decode(string(text))
	return v
}

// maxMatchers bounds the matchers of a tool, and the keys of their paths.
const maxMatchers = 64

// matchers adds faults of the matchers of a tool.
func (c *checker) matchers(t *Tool) {
	if len(t.Matchers) == 0 {
		return
	}
	arguments, _ := t.Arguments.Value()
	c.want(len(t.Matchers) <= maxMatchers, "matchers", "must not be more than %d", maxMatchers)
	c.want(arguments.Kind() == Object, "arguments", "must be an object, because there are `matchers`")
	for i := range t.Matchers[:min(len(t.Matchers), maxMatchers)] {
		m := &t.Matchers[i]
		path := `matchers["` + m.Path + `"]`
		_, broken := m.compile()
		c.want(broken == "", path+"."+m.Rule.String(), "%s", broken)
		c.want(m.Rule == Near || m.Within == "", path+".within", "needs `near`")
		keys := strings.Split(m.Path, ".")
		c.want(len(keys) <= maxMatchers, path, "has more than %d keys", maxMatchers)
		in, found := arguments, true
		for _, key := range keys {
			c.want(key != "", path, "must be the path of a key, such as city or address.city")
			c.want(!found || in.Kind() == Object, path, "leads into a value of `arguments` that is no object")
			in, found = in.Member(key)
		}
		c.want(!found, path, "is a key of `arguments` too")
		for j := range t.Matchers {
			if other := &t.Matchers[j]; i != j && strings.HasPrefix(m.Path+".", other.Path+".") && (j < i || m.Path != other.Path) {
				c.add(path, "is inside of %q, which has a matcher too", other.Path)
			}
		}
	}
}
