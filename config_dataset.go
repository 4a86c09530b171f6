package toolcorrectnessprocessor

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottltext"
	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor/processor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// DatasetConfig names a file of cases, and the key by which a run finds its case.
type DatasetConfig struct {
	// File has one case a line (JSON lines), or is a YAML list of cases if it ends in .yaml or .yml. A case is a key and
	// what is expected: tools, any_of, forbidden and max_calls, as in an expectation.
	File string `mapstructure:"file"`

	// Key is an OTTL value in the span context, such as attributes["test.case.name"]. It is evaluated on the run's anchor.
	Key string `mapstructure:"key"`
}

// The words of unknown_key.
const (
	unknownNext   = "next"
	unknownReport = "report"
)

// cases converts the dataset of an expectation. loaded is nil while a configuration is only checked.
func (c *ExpectationConfig) cases(errs *configcheck.Errors, parser *ottltext.SpanParser, loaded *cases) *toolcorrectness.Cases {
	if c.Dataset == nil {
		if c.UnknownKey != "" {
			errs.Add("unknown_key", "is for an expectation with a `dataset`")
		}
		return nil
	}
	if c.UnknownKey != "" {
		errs.OneOf("unknown_key", c.UnknownKey, unknownNext, unknownReport)
	}
	under := errs.Under("dataset")
	if c.Dataset.File == "" {
		under.Add("file", "must be a file of cases, is empty")
	}
	x := &toolcorrectness.Cases{Text: c.Dataset.Key, Report: c.UnknownKey == unknownReport, File: c.Dataset.File}
	if c.Dataset.Key == "" {
		under.Add("key", `must be an OTTL value such as attributes["test.case.name"], is empty`)
		return x
	}
	key, err := parser.Key(c.Dataset.Key)
	if err != nil {
		under.Add("key", "%v", err)
		return x
	}
	x.Key = key
	if loaded != nil {
		x.Find, x.Arguments, x.Output = loaded.find, loaded.arguments, loaded.output
	}
	return x
}

// parseAttribute reads what is expected from an attribute: a list of tools, or an object with the keys of a case but its key.
// Its error has no part of the attribute, which is private.
func parseAttribute(text string) (*scoring.Expectation, error) {
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
	expected := c.expected(errs, nil)
	if paths := errs.Paths(); len(paths) > 0 {
		return nil, fmt.Errorf("%s breaks a rule", cmp.Or(paths[0], "it"))
	}
	return expected, nil
}

// hasConditions reports whether a tool has a condition.
func (c *ExpectationConfig) hasConditions() bool {
	return slices.ContainsFunc(append(slices.Clone(c.AnyOf), c.Tools, c.Forbidden), func(list []ToolConfig) bool {
		return slices.ContainsFunc(list, func(t ToolConfig) bool { return t.Where != "" })
	})
}

// find is the case of a key. It is compiled at each look-up, because a million compiled cases would take a gigabyte.
func (s *cases) find(key string) (*scoring.Expectation, bool, error) {
	text, ok := s.set.Find(key)
	if !ok {
		return nil, false, nil
	}
	errs := configcheck.New()
	x := parseCase(errs, text)
	if x == nil {
		return nil, true, errs.Err()
	}
	expected := x.expected(errs, s.parser)
	return expected, true, errs.Err()
}

// datasetsOf are the paths of the files of a list.
func datasetsOf(list []listed) (paths []string) {
	for _, x := range list {
		if x.Dataset != nil && x.Dataset.File != "" {
			paths = append(paths, x.Dataset.File)
		}
	}
	return paths
}

// refuse adds an error for each metric whose method does not understand a key that a case has. Nil cases suit all.
func (s *cases) refuse(errs *configcheck.Errors, metrics, all []toolcorrectness.Metric) {
	if s == nil {
		return
	}
	for _, use := range s.nativeOnly {
		refuse(errs, []string{use.key}, fmt.Sprintf("the case in %s:%d ", s.file, use.line), metrics, all)
	}
}
