package scoring

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
)

// A tolerance is a tool's IgnoreArguments and ArgumentDefaults, compiled.
type tolerance struct {
	ignore   []string
	defaults Value
	// filled are the expected arguments with the defaults. Modes that count extra keys of the call compare with it.
	filled Value
}

// tolerant reports whether the tool has a tolerance.
func (t *Tool) tolerant() bool { return len(t.IgnoreArguments) > 0 || t.ArgumentDefaults != Payload{} }

// tolerance compiles the tolerance of a tool. It also returns arguments, the expected ones, without the ignored keys.
func (t *Tool) tolerance(arguments Value) (*tolerance, Value) {
	if !t.tolerant() {
		return nil, arguments
	}
	k := &tolerance{ignore: t.IgnoreArguments, defaults: emptyObject}
	if v, ok := t.ArgumentDefaults.Value(); ok {
		k.defaults = orEmptyObject(v)
	}
	work := names.Steps(maxWork)
	rewrite := func(defaults Value) Value {
		text, _ := compare.Rewrite(arguments, k.ignore, defaults, &work)
		v, _ := Decode(text) // it is valid JSON
		return v
	}
	plain := rewrite(emptyObject)
	k.filled = rewrite(k.defaults)
	return k, plain
}

// expected returns the expected arguments for a mode.
func (k *toolClass) expected(m ArgumentMode) Value {
	if k.tolerance != nil && (m == ArgumentsExact || m == ArgumentsSuperset || m == ArgumentsPartial) {
		return k.tolerance.filled
	}
	return k.arguments
}

// A rewritten is the arguments of a call, as the tolerance of the tool by changed them.
type rewritten struct {
	by    *Tool
	value Value
	use   compare.Use
}

// tolerate returns a call's arguments without ignored keys and with defaults. It changes them once for all tools of a
// tolerance that follow each other. The value is valid until the next call of tolerate. If the work is spent, it is any value.
func (w *nativeRun) tolerate(class int32, k *toolClass, called Value) Value {
	if k.tolerance == nil {
		return called
	}
	r, same := &w.rewritten, k.tool
	if r.by == nil || r.by.ArgumentDefaults != same.ArgumentDefaults || !slices.Equal(r.by.IgnoreArguments, same.IgnoreArguments) {
		text, used := compare.Rewrite(called, k.tolerance.ignore, k.tolerance.defaults, &w.work)
		r.value, _ = w.tolerated.Decode(text) // it is valid JSON
		r.by, r.use = k.tool, used
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
	if len(w.used) == 0 {
		return nil
	}
	for k := range p.classes {
		u, ok := w.used[int32(k)]
		if !ok || len(notes) >= maxItems {
			continue
		}
		c := &p.classes[k]
		ignored, filled := u.Applied(c.tolerance.ignore, c.tolerance.defaults)
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

// tolerated returns both payloads as a mode compares them.
func (t *Tool) tolerated(m ArgumentMode, called Payload) (e, c Payload) {
	expected, _ := t.Arguments.Value()
	k := toolClass{arguments: orEmptyObject(expected)}
	k.tolerance, k.arguments = t.tolerance(k.arguments)
	v, ok := called.Value()
	if !ok {
		return t.Arguments, called
	}
	work := names.Steps(maxWork >> 8) // a reason may ask for several calls; beyond, it lacks keys
	wanted, _ := compare.Rewrite(k.expected(m), nil, Value{}, &work)
	made, _ := compare.Rewrite(orEmptyObject(v), k.tolerance.ignore, k.tolerance.defaults, &work)
	return JSON(wanted), JSON(made)
}
