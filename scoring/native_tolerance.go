package scoring

import (
	"fmt"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
)

// A tolerance is a tool's IgnoreArguments, ArgumentDefaults and Matchers, compiled.
type tolerance struct {
	// changes are for the arguments of a call.
	changes compare.Changes
	// defaults are the ArgumentDefaults. Those of changes begin with them, and go on with the optional matchers.
	defaults Value
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
	defaults, _ := t.ArgumentDefaults.Value()
	k := &tolerance{changes: compare.Changes{Ignore: t.IgnoreArguments, KeepRejected: shown}, defaults: orEmptyObject(defaults)}
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
	work := names.Budget(maxWork)
	plain := rewrite(arguments, &compare.Changes{Ignore: t.IgnoreArguments, Defaults: skeleton(k.changes.Matchers)}, &work)
	k.filled = rewrite(plain, &compare.Changes{Ignore: t.IgnoreArguments, Defaults: k.defaults}, &work)
	k.changes.Defaults = rewrite(k.defaults, &compare.Changes{Defaults: skeleton(optional)}, &work)
	return k, plain
}

// expected returns the expected arguments for a mode.
func (k *toolClass) expected(m ArgumentMode, c Credit) Value {
	if k.tolerance != nil && !m.ignoresExtra(c) {
		return k.tolerance.filled
	}
	return k.arguments
}

// A rewritten is arguments, as a tolerance changed them.
type rewritten struct {
	of    Payload
	rules string // of the tolerance
	value Value
	use   compare.Use
}

// tolerate returns arguments, which were read as called, without ignored keys and with defaults. It changes them once for all tools of a
// tolerance that follow each other. The value is valid until the next call of tolerate. If the work is spent, it is any value.
func (w *nativeRun) tolerate(class int32, k *toolClass, of Payload, called Value) Value {
	if k.tolerance == nil {
		return called
	}
	r := &w.rewritten
	if r.of != of || r.rules != k.rules {
		text, used := compare.Rewrite(called, &k.tolerance.changes, &w.work)
		r.value, _ = w.tolerated.Decode(text) // it is valid JSON
		r.of, r.rules, r.use = of, k.rules, used
	}
	if w.used == nil {
		w.used = map[int32]compare.Use{}
	}
	u := w.used[class]
	w.used[class] = compare.Use{Ignored: u.Ignored | r.use.Ignored, Filled: u.Filled | r.use.Filled}
	return r.value
}

// toleranceNotes lists the patterns and default keys that were applied. They come from the expectation, so they are not
// private.
func (w *nativeRun) toleranceNotes(p *plan) (notes []string) {
	for k := range p.classes {
		u, ok := w.used[int32(k)]
		if !ok || len(notes) >= maxItems {
			continue
		}
		c := &p.classes[k]
		ignored, filled := u.Applied(c.tolerance.changes.Ignore, c.tolerance.defaults)
		note := func(what string, keys []string) {
			keys = keys[:min(len(keys), maxItems)]
			for i := range keys {
				keys[i] = clean(keys[i])
			}
			if len(keys) > 0 {
				notes = append(notes, fmt.Sprintf("%s: %s of %s", what, strings.Join(keys, ", "), clean(c.tool.label())))
			}
		}
		note("not compared", ignored)
		note("default taken", filled)
	}
	return notes
}

// tolerated returns both arguments as a mode compares them, for a reason.
func (t *Tool) tolerated(m ArgumentMode, credit Credit, expected, called Value) (e, c Value) {
	k := toolClass{}
	k.tolerance, k.arguments = t.tolerance(orEmptyObject(expected), true)
	work := names.Budget(maxWork >> 8) // a reason may ask for several calls; beyond, it lacks keys
	return k.expected(m, credit), rewrite(orEmptyObject(called), &k.tolerance.changes, &work)
}

// rewrite returns a value with changes. If the work is spent, it lacks keys.
func rewrite(v Value, changes *compare.Changes, work *names.Budget) Value {
	text, _ := compare.Rewrite(v, changes, work)
	v, _ = Decode(text) // it is valid JSON
	return v
}
