package scoring

import (
	"encoding/json"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
)

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
