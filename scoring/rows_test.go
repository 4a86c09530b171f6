package scoring

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// A row of testdata/rows is an expectation and calls, and what a method says of them. What a row does not state is not compared.
type row struct {
	Name, Reason string
	Method       string     // native if it is empty
	Options      *yaml.Node // of the method; the others have their defaults
	ExpectationSettings
	Calls []Call

	Refused    string   // the error of the expectation
	Names      []string // of the expectation
	NativeOnly []string // the keys of the expectation that other methods lack
	Compares   *string  // the payloads that the expectation makes every method read

	OptionsRefused string  // the error of the method
	Reads          *string // the payloads that the method reads

	Status              *Status
	Score               *float64
	Why, Says           *string
	Quotes              *string // what it says with values
	Classes, Matches    *string // see sayClasses and matchText
	Faults              *string // the rule that a call breaks, after its index
	Missing, Unexpected *string // by NameDiff
	OfSets              bool    // by NameDiffOfSets
}

// Each row of testdata/rows is judged, and the verdict is as the row says and keeps the laws of all verdicts.
func TestRows(t *testing.T) {
	files, err := filepath.Glob("testdata/rows/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no rows", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var document yaml.Node
		if err := yaml.Unmarshal(text, &document); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		var rows []row
		if err := readYAML(document.Content[0], reflect.ValueOf(&rows).Elem()); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for i := range rows {
			r := &rows[i]
			t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml")+"/"+r.Name, func(t *testing.T) {
				if r.Reason == "" {
					t.Error("the row has no reason")
				}
				r.check(t)
				if t.Failed() {
					t.Log(r.Reason)
				}
			})
		}
	}
}

func (r *row) check(t *testing.T) {
	e, err := NewExpectation(r.ExpectationSettings)
	if err != nil || r.Refused != "" {
		var fault Fault
		if err == nil || e != nil || err.Error() != r.Refused || !errors.As(err, &fault) {
			t.Errorf("got  %v\nwant %s", err, r.Refused)
		}
		return
	}
	same(t, "compares", payloadWords(e.Compares()), r.Compares)
	sameList(t, "names", e.Names(), r.Names)
	sameList(t, "native_only", e.NativeOnly(), r.NativeOnly)
	diff := NameDiff
	if r.OfSets {
		diff = NameDiffOfSets
	}
	missing, unexpected := diff(e, r.Calls)
	same(t, "missing", strings.Join(missing, " "), r.Missing)
	same(t, "unexpected", strings.Join(unexpected, " "), r.Unexpected)
	methods, err := r.methods()
	if err != nil || r.OptionsRefused != "" {
		if fmt.Sprint(err) != r.OptionsRefused {
			t.Errorf("got  %v\nwant %s", err, r.OptionsRefused)
		}
		return
	}
	for _, m := range methods {
		same(t, "reads", payloadWords(m.Compares()), r.Reads)
		v := m.Judge(e.With(&textConditions{r.Calls, map[string]int{}}), r.Calls)
		r.checkVerdict(t, v)
		if n, ok := m.(*Native); ok && r.Turns == nil {
			checkPairs(t, v)
			r.checkOwnMode(t, n.options, v)
		}
	}
}

// checkOwnMode: a tool may have the mode of the method as its own.
func (r *row) checkOwnMode(t *testing.T, o NativeOptions, v Verdict) {
	if o.Repeats == UniqueRepeats { // tools with modes of their own are not equal to others
		return
	}
	s := r.ExpectationSettings.clone()
	for _, list := range s.lists() {
		for i := range list {
			if tool := &list[i]; tool.Arguments != (Payload{}) && tool.Match == ArgumentsUnset {
				tool.Match = o.Arguments
			}
		}
	}
	o.Arguments = ArgumentsIgnore
	if own := judge(t, o, expectation(t, s).With(&textConditions{r.Calls, map[string]int{}}), r.Calls); own.Score != v.Score || own.Status != v.Status {
		t.Errorf("%v and %v, and %v and %v if the mode is that of the tools", v.Status, v.Score, own.Status, own.Score)
	}
}

func (r *row) checkVerdict(t *testing.T, v Verdict) {
	if r.Status != nil && v.Status != *r.Status {
		t.Errorf("%v, want %v", v.Status, *r.Status)
	}
	if r.Score != nil && (v.Score != *r.Score || r.Status == nil && v.Status != Scored) {
		t.Errorf("%v with the score %v, want %v", v.Status, v.Score, *r.Score)
	}
	same(t, "why", v.Why, r.Why)
	same(t, "says", v.Reason(ReasonOptions{}), r.Says)
	same(t, "quotes", v.Reason(ReasonOptions{Values: true}), r.Quotes)
	if r.Quotes != nil && strings.Contains(v.Reason(ReasonOptions{}), "instead of") {
		t.Errorf("without values the reason is %s", v.Reason(ReasonOptions{}))
	}
	same(t, "classes", sayClasses(v), r.Classes)
	same(t, "matches", matchText(v.Matches()), r.Matches)
	var faults []string
	for _, m := range v.Matches() {
		if found := m.Faults(ReasonOptions{}); len(found) > 0 {
			faults = append(faults, fmt.Sprint(m.Called, ": ", strings.Join(found, "; ")))
		}
	}
	same(t, "faults", strings.Join(faults, ", "), r.Faults)
	checkJudged(t, v)
}

func payloadWords(arguments, output bool) string {
	switch {
	case arguments && output:
		return "arguments output"
	case arguments:
		return "arguments"
	case output:
		return "output"
	}
	return ""
}

func same(t *testing.T, key, got string, want *string) {
	t.Helper()
	if want != nil && got != *want {
		t.Errorf("%s\ngot  %s\nwant %s", key, got, *want)
	}
}

func sameList(t *testing.T, key string, got, want []string) {
	t.Helper()
	if want != nil && !slices.Equal(got, want) {
		t.Errorf("%s %q, want %q", key, got, want)
	}
}

// methods returns the method of the row or, for "outputs", those that can compare outputs.
func (r *row) methods() ([]Method, error) {
	switch r.Method {
	case "":
		return made(NewNative, r.Options, DefaultNative())
	case "axion":
		return made(NewAxion, r.Options, DefaultAxion())
	case "deepeval":
		return made(NewDeepEval, r.Options, DefaultDeepEval())
	case "deepeval_multimodal":
		return made(NewDeepEvalMultimodal, r.Options, DefaultDeepEval())
	case "evalsharp":
		return made(NewEvalSharp, r.Options, DefaultDeepEval())
	case "eval_lib":
		return made(NewEvalLib, r.Options, DefaultEvalLib())
	case "galtea":
		return made(NewGaltea, r.Options, GalteaOptions{})
	case "outputs":
		return outputMethods(), nil
	}
	return nil, fmt.Errorf("%q is no method", r.Method)
}

// made makes a method of options, changed as a node says, if there is one.
func made[O any, M Method](method func(O) (M, error), n *yaml.Node, o O) ([]Method, error) {
	if n != nil {
		if err := readYAML(n, reflect.ValueOf(&o).Elem()); err != nil {
			return nil, err
		}
	}
	m, err := method(o)
	return []Method{m}, err
}

// readYAML sets a value to what a node says. Keys are the names of fields, with underscores between their words.
//
//   - A list of tools or calls may be their names, with spaces between them, and a tool or a call may be its name.
//   - A payload is JSON as it is written, or "text: " and a text, "none" or "too large". If it is not there, it was not captured.
//   - A condition is that of native_where_test.go. A number may be a fraction.
func readYAML(n *yaml.Node, into reflect.Value) error {
	fields := strings.Fields(n.Value)
	switch x := into.Addr().Interface().(type) {
	case **yaml.Node:
		*x = n
		return nil
	case *Payload:
		*x = payloadIn(n.Value)
		return nil
	case *Condition:
		*x = textCondition(n.Value)
		return nil
	case *[]Tool:
		if n.Kind == yaml.ScalarNode {
			*x = append([]Tool{}, toolsOf(fields)...)
			return nil
		}
	case *[]Call:
		if n.Kind == yaml.ScalarNode {
			*x = append([]Call{}, callsOf(fields)...)
			return nil
		}
	case *Tool:
		if n.Kind == yaml.ScalarNode {
			x.Name = n.Value
			return nil
		}
	case *Call:
		if n.Kind == yaml.ScalarNode {
			x.Name = n.Value
			return nil
		}
	case *float64:
		if part, whole, ok := strings.Cut(n.Value, "/"); ok {
			a, err := strconv.ParseFloat(part, 64)
			b, err2 := strconv.ParseFloat(whole, 64)
			*x = a / b
			return errors.Join(err, err2)
		}
	case fmt.Stringer:
		if into.Kind() == reflect.Uint8 {
			for word := uint64(0); x.String() != n.Value; word++ {
				if word > 9 {
					return fmt.Errorf("line %d: %q is no word of a %T", n.Line, n.Value, x)
				}
				into.SetUint(word)
			}
			return nil
		}
	}
	switch {
	case into.Kind() == reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		return readYAML(n, into.Elem())
	case into.Kind() == reflect.Slice && n.Kind == yaml.SequenceNode:
		into.Set(reflect.MakeSlice(into.Type(), len(n.Content), len(n.Content)))
		for i, element := range n.Content {
			if err := readYAML(element, into.Index(i)); err != nil {
				return err
			}
		}
		return nil
	case into.Kind() == reflect.Struct && n.Kind == yaml.SequenceNode && len(n.Content) == into.NumField():
		for i, field := range n.Content {
			if err := readYAML(field, into.Field(i)); err != nil {
				return err
			}
		}
		return nil
	case into.Kind() == reflect.Struct && n.Kind == yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			key := strings.ReplaceAll(n.Content[i].Value, "_", "")
			field := into.FieldByNameFunc(func(name string) bool { return strings.EqualFold(name, key) })
			if !field.IsValid() {
				return fmt.Errorf("line %d: %s is no key of a %s", n.Content[i].Line, n.Content[i].Value, into.Type())
			}
			if err := readYAML(n.Content[i+1], field); err != nil {
				return err
			}
		}
		return nil
	}
	return n.Decode(into.Addr().Interface())
}

func payloadIn(text string) Payload {
	if text, ok := strings.CutPrefix(text, "text: "); ok {
		return Text(text)
	}
	switch text {
	case "none":
		return Omitted()
	case "too large":
		return TooLarge()
	}
	return JSON(text)
}
