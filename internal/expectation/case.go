package expectation

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dataset"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A testCase is what a case says.
type testCase struct {
	Expectation
	key string
}

// parseCase converts a case of a dataset. It adds an error and returns nil if it cannot.
func parseCase(errs *configcheck.Errors, text []byte) *testCase {
	c, err := dataset.Decode(text)
	if err != nil {
		errs.Join(err)
		return nil
	}
	x := &testCase{Expectation{Tools: toolsOf(c.Tools), Forbidden: toolsOf(c.Forbidden), MaxCalls: c.MaxCalls}, c.Key}
	for _, list := range c.AnyOf {
		x.AnyOf = append(x.AnyOf, toolsOf(list))
	}
	return x
}

// toolsOf converts a list. A nil list stays nil, because an empty list means something else.
func toolsOf(list []dataset.Tool) []Tool {
	if list == nil {
		return nil
	}
	tools := make([]Tool, len(list))
	for i := range list {
		t := &list[i]
		tools[i] = Tool{
			Name: t.Name, AnyOf: t.AnyOf, ArgumentsMatch: t.ArgumentsMatch, Where: t.Where, Optional: t.Optional, IgnoreArguments: t.IgnoreArguments,
			Arguments: dataset.Object(t.Arguments), ArgumentDefaults: dataset.Object(t.ArgumentDefaults), Output: dataset.Value(t.Output),
		}
		if t.Count != nil {
			tools[i].Count = &Count{Min: t.Count.Min, Max: t.Count.Max}
		}
	}
	return tools
}

// CheckCase checks a case by the rules of expectations.
func CheckCase(text []byte, parser *conditions.Parser) (c dataset.Checked, err error) {
	errs := configcheck.New()
	x := parseCase(errs, text)
	if x == nil {
		return c, errs.Err()
	}
	if x.key == "" {
		errs.Add("key", "must not be empty: it says which runs are of the case")
	}
	expected := x.Compile(errs, parser)
	if err := errs.Err(); err != nil {
		return c, err
	}
	c.Key, c.NativeOnly = x.key, x.NativeOnly()
	c.Arguments, c.Output = expected.Compares()
	return c, nil
}

// FindCase is the case of a key. It is compiled at each look-up, because a million compiled cases would take a gigabyte.
func FindCase(cases *dataset.Cases, key string, parser *conditions.Parser) (*scoring.Expectation, bool, error) {
	text, ok := cases.Find(key)
	if !ok {
		return nil, false, nil
	}
	errs := configcheck.New()
	x := parseCase(errs, text)
	if x == nil {
		return nil, true, errs.Err()
	}
	expected := x.Compile(errs, parser)
	return expected, true, errs.Err()
}

// Parse reads what is expected from an attribute: a list of tools, or an object with the keys of a case but its key.
// Its error has no value of the attribute, which is private: only the path of a rule that it breaks.
func Parse(text string) (*scoring.Expectation, error) {
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		text = `{"tools":` + text + `}`
	}
	errs := configcheck.New()
	c := parseCase(errs, []byte(text))
	if c == nil {
		return nil, errors.New("it is neither a JSON list of tools nor an object with the keys of an expectation")
	}
	if c.hasConditions() {
		return nil, errors.New("it says where, and conditions are not taken from a span")
	}
	expected := c.Compile(errs, nil)
	if paths := errs.Paths(); len(paths) > 0 {
		path, _, _ := strings.Cut(paths[0], `["`) // a key in quotes is a name that the sender chose
		return nil, fmt.Errorf("%s breaks a rule", cmp.Or(path, "it"))
	}
	return expected, nil
}

// hasConditions reports whether a tool has a condition.
func (x *Expectation) hasConditions() bool {
	return slices.ContainsFunc(append(slices.Clone(x.AnyOf), x.Tools, x.Forbidden), func(list []Tool) bool {
		return slices.ContainsFunc(list, func(t Tool) bool { return t.Where != "" })
	})
}
