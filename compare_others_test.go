package toolcorrectnessprocessor

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A comparison is a row of docs/methods-of-others.md: a mode of a library, and the native options with the same result.
type comparison struct{ library, mode, options, except string }

var comparedMode = regexp.MustCompile("(?m)^\\| ([a-z-]+) \\| `([^`]+)` \\| (either )?\\| `([^`]+)` \\| ?(.*?) ?\\|$")

// comparisons are the rows of the page that have a column for exceptions. A row that compares arguments or not is two.
func comparisons(t *testing.T) (rows []comparison) {
	text, err := os.ReadFile(filepath.Join("docs", "methods-of-others.md"))
	require.NoError(t, err)
	for _, row := range comparedMode.FindAllStringSubmatch(string(text), -1) {
		library, mode, either, options, except := row[1], row[2], row[3], row[4], row[5]
		if either == "" {
			rows = append(rows, comparison{library, mode, "{ " + options + " }", except})
			continue
		}
		names := strings.Replace(except, "same calls", "same names", 1)
		rows = append(rows, comparison{library, mode + " ignore", "{ " + options + " }", names},
			comparison{library, mode + " exact", "{ arguments: exact, " + options + " }", except})
	}
	return rows
}

// A recordedCase is a run, the expected calls, and a library's result in each of its modes.
type recordedCase struct {
	Expected, Called []recordedCall
	Said             map[string]float64
}

// A recordedCall is written as [name, arguments].
type recordedCall struct {
	name      string
	arguments json.RawMessage
}

func (c *recordedCall) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, &[]any{&c.name, &c.arguments})
}

// exceptions maps the words in the last column to the cases that they mean.
var exceptions = map[string]func(recordedCase) bool{
	"":                                    func(recordedCase) bool { return false },
	"no calls":                            func(c recordedCase) bool { return len(c.Called) == 0 },
	"nothing expected and nothing called": func(c recordedCase) bool { return len(c.Expected)+len(c.Called) == 0 },
	"the same calls in other numbers": func(c recordedCase) bool {
		return sameInOtherNumbers(c, func(call recordedCall) string { return call.name + string(call.arguments) })
	},
	"the same names in other numbers": func(c recordedCase) bool {
		return sameInOtherNumbers(c, func(call recordedCall) string { return call.name })
	},
	"no argument of a call agrees": func(c recordedCase) bool {
		return slices.ContainsFunc(c.pairs(), func(pair [2]recordedCall) bool {
			if pair[0].name != pair[1].name {
				return false
			}
			var expected, called map[string]any
			if json.Unmarshal(pair[0].arguments, &expected) != nil || json.Unmarshal(pair[1].arguments, &called) != nil {
				return false
			}
			for key, value := range expected {
				if got, has := called[key]; has && got == value {
					return false
				}
			}
			return len(expected)+len(called) > 0
		})
	},
	"expected more often than made": func(c recordedCase) bool { return moreOften(c.Expected, c.Called) },
	"an expected argument equals its default": func(c recordedCase) bool {
		v, err := scoring.Decode(string(c.Expected[0].arguments))
		a, _ := v.Member("a")
		return err == nil && a.Text() == "x"
	},
}

// sameInOtherNumbers reports whether both lists have the same length and the same keys, but some key more often in one list.
func sameInOtherNumbers(c recordedCase, key func(recordedCall) string) bool {
	expected, called := map[string]int{}, map[string]int{}
	for _, call := range c.Expected {
		expected[key(call)]++
	}
	for _, call := range c.Called {
		called[key(call)]++
	}
	sameKeys := maps.EqualFunc(expected, called, func(int, int) bool { return true })
	return len(c.Expected) == len(c.Called) && sameKeys && !maps.Equal(expected, called)
}

// pairs are the calls by their positions, if there are as many as expected.
func (c recordedCase) pairs() (all [][2]recordedCall) {
	for i := range c.Expected {
		if len(c.Expected) == len(c.Called) {
			all = append(all, [2]recordedCall{c.Expected[i], c.Called[i]})
		}
	}
	return all
}

// moreOften reports whether some call is in both lists, and more often in the first.
func moreOften(first, second []recordedCall) bool {
	numbers := map[string]int{}
	for _, call := range second {
		numbers[call.name+string(call.arguments)]++
	}
	for _, call := range first {
		key := call.name + string(call.arguments)
		number, is := numbers[key]
		if is && number == 0 {
			return true
		}
		if is {
			numbers[key]--
		}
	}
	return false
}

// expectationOf returns the expectation for the native method in a mode.
func expectationOf(t *testing.T, c recordedCase, mode string) *scoring.Expectation {
	tools := []scoring.Tool{}
	for _, expected := range c.Expected {
		tools = append(tools, scoring.Tool{Name: expected.name, Arguments: scoring.JSON(string(expected.arguments))})
	}
	if strings.HasPrefix(mode, "tool-args-match") {
		tools = tools[:1]
	}
	if mode == "tool-args-match defaults" {
		tools[0].ArgumentDefaults, tools[0].IgnoreArguments = scoring.JSON(`{"a":"x"}`), []string{"z", "b*"}
	}
	x, err := scoring.NewExpectation(scoring.ExpectationSettings{Tools: tools})
	require.NoError(t, err)
	return x
}

// The options in docs/methods-of-others.md give the same numbers as other libraries on recorded runs. `make e2e WITH=others` sets OTHERS
// to a folder with fresh recordings.
func TestNumbersOfOtherLibraries(t *testing.T) {
	folder := os.Getenv("OTHERS")
	if folder == "" {
		folder = filepath.Join("testdata", "others")
	}
	rows := comparisons(t)
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl.gz"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		library := strings.TrimSuffix(filepath.Base(file), ".jsonl.gz")
		cases := recordedCases(t, file)
		compared := map[string]bool{}
		for _, row := range rows {
			if row.library != library {
				continue
			}
			compared[row.mode] = true
			t.Run(library+" "+row.mode, func(t *testing.T) { compareWithOther(t, row, cases) })
		}
		for mode := range cases[0].Said {
			require.True(t, compared[mode], "%s: the mode %q has no row in docs/methods-of-others.md", library, mode)
		}
	}
}

func compareWithOther(t *testing.T, row comparison, cases []recordedCase) {
	cfg := mustLoad(t, `{metrics: {m: {native: `+row.options+`}}, expectations: [{tools: []}]}`)
	set, err := cfg.settings(configcheck.New(), componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)
	excepted, known := exceptions[row.except]
	require.True(t, known, "an exception that no test knows: %q", row.except)
	skipped, different, ones := 0, 0, 0
	for _, c := range cases {
		if excepted(c) {
			skipped++
			continue
		}
		calls := make([]scoring.Call, len(c.Called))
		for i, called := range c.Called {
			calls[i] = scoring.Call{Name: called.name, Arguments: scoring.JSON(string(called.arguments))}
		}
		v := set.Metrics[0].Method.Judge(expectationOf(t, c, row.mode), calls)
		said, ok := c.Said[row.mode]
		require.True(t, ok, "a case without the mode")
		if v.Status != scoring.Scored || math.Abs(v.Score-said) > 0.00006 {
			if different++; different <= 3 {
				t.Errorf("expected %s, called %s: it said %v, we say %v", names(c.Expected), names(c.Called), said, v.Score)
			}
		}
		if said == 1 {
			ones++
		}
	}
	require.Less(t, skipped, len(cases)/5, "cases that are excepted")
	require.Zero(t, different, "of %d cases", len(cases))
	require.Greater(t, ones, len(cases)/20, "cases that score 1")
	require.Less(t, ones, len(cases)-len(cases)/20, "cases that score 1")
}

func names(calls []recordedCall) string {
	var all []string
	for _, c := range calls {
		all = append(all, c.name+string(c.arguments))
	}
	return strings.Join(all, " ")
}

// recordedCases returns the cases of a file. Its first line names the library, its version and the number of cases.
func recordedCases(t *testing.T, file string) (cases []recordedCase) {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	unzipped, err := gzip.NewReader(f)
	require.NoError(t, err)
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	require.True(t, lines.Scan())
	var head struct {
		Library, Version string
		Cases            int
	}
	require.NoError(t, json.Unmarshal(lines.Bytes(), &head))
	require.NotEmpty(t, head.Version)
	for lines.Scan() {
		var c recordedCase
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c))
		cases = append(cases, c)
	}
	require.NoError(t, lines.Err())
	require.Len(t, cases, head.Cases)
	require.GreaterOrEqual(t, len(cases), 1000)
	return cases
}
