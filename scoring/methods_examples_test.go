package scoring

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
)

// An example is a row of the table of small examples in docs/methods.md. options are as in a configuration. An output is
// behind an arrow: "get_order→JSON".
type example struct{ options, expected, called, reason string }

var examples = []example{
	{"arguments: superset", `pay({"n":5,"to":"Ann"})`, `pay({"n":5})`, "Every key of the call is expected, and `n` is equal."},
	{"arguments: superset", `pay({"n":5})`, `pay({"n":5,"to":"Ann"})`, "`to` is not expected."},
	{"arguments: partial", `pay({"n":5,"to":"Ann"})`, `pay({"n":5,"x":1,"y":1})`, "One of four keys agrees."},
	{"arguments: partial, credit: expected", `pay({"n":5,"to":"Ann"})`, `pay({"n":5,"x":1,"y":1})`, "One of two expected keys agrees."},
	{"arguments: fuzzy", `forecast({"city":"Rome","days":4})`, `forecast({"city":"Roma","days":5})`, "0.775 is below 0.8."},
	{"arguments: fuzzy, fuzzy_threshold: 0.75", `forecast({"city":"Rome","days":4})`, `forecast({"city":"Roma","days":5})`, "0.775 is enough."},
	{"output: exact", `order→{"paid":true}`, `order→{"paid":true,"sum":9}`, "`sum` is not expected."},
	{"output: subset", `order→{"paid":true}`, `order→{"paid":true,"sum":9}`, "The expected key is equal."},
	{"score: precision, repeats: count", "search refund", "search search refund search", "Two of four calls are in pairs."},
	{"score: precision, repeats: collapse", "search refund", "search search refund search", "The first two calls count once: 2/3."},
	{"score: precision, repeats: unique", "search refund", "search search refund search", "All calls of `search` count once: 2/2."},
	{"repeats: collapse", "poll poll", "poll poll", "The calls count once, and two are expected."},
	{"repeats: unique", "poll poll", "poll poll", "The expected tools count once too."},
}

// TestSmallExamples: the small examples in docs/methods.md are what the native method computes.
func TestSmallExamples(t *testing.T) {
	var b strings.Builder
	b.WriteString("| options | expected | called | score |\n|---|---|---|---|\n")
	for _, x := range examples {
		e, calls := lists(t, x.expected, x.called)
		v := must(NewNative(optionsOf(t, x.options))).Judge(e, calls)
		if x.reason == "" {
			t.Errorf("%s: the row has no reason", x.options)
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | `%s` | %s |\n", x.options, x.expected, x.called, cell(v))
	}
	checkPage(t, "methods.md", "<!-- examples: begin, written by TestSmallExamples -->\n", "<!-- examples: end -->", b.String())
}

// optionsOf parses options of the native method as a configuration has them.
func optionsOf(t *testing.T, options string) NativeOptions {
	t.Helper()
	var document yaml.Node
	o := DefaultNative()
	if err := errors.Join(yaml.Unmarshal([]byte("{"+options+"}"), &document), readYAML(document.Content[0], reflect.ValueOf(&o).Elem())); err != nil {
		t.Fatal(err)
	}
	return o
}

// TestDocumentedPartialOrder: the example of a partial order in docs/methods.md has the scores of the native method.
func TestDocumentedPartialOrder(t *testing.T) {
	page, err := os.ReadFile("../docs/methods.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "### A partial order")
	section, _, _ = strings.Cut(section, "\n### ")
	e := expectation(t, ExpectationSettings{
		Tools:     []Tool{{Name: "log"}, {Name: "search"}, {Name: "refund", After: []string{"search", "check_*"}}},
		Forbidden: []Tool{{Name: "delete", After: []string{"export"}}},
	})
	rows := regexp.MustCompile("(?m)^\\| `([a-z_ ]+)` \\| ([0-9.]+) \\|").FindAllStringSubmatch(section, -1)
	if len(rows) != 5 {
		t.Fatalf("the page has %d rows, want 5", len(rows))
	}
	for _, row := range rows {
		if got := cell(native(t, nil).Judge(e, called(row[1]))); got != row[2] {
			t.Errorf("the page has the score %s for the calls %s, computed is %s", row[2], row[1], got)
		}
	}
}

var (
	likenessRow  = regexp.MustCompile("(?m)^\\| (`\\w+`) \\| `(.+)` \\| `(.+)` \\| .* = ([0-9.]+) \\|$")
	likenessMean = regexp.MustCompile(`The mean is .* = ([0-9]+\.[0-9]+)`)
)

// TestDocumentedLikeness: the example of fuzzy in docs/methods.md has the likeness of each key, and the mean.
func TestDocumentedLikeness(t *testing.T) {
	page, err := os.ReadFile("../docs/methods.md")
	if err != nil {
		t.Fatal(err)
	}
	var expected, called []string
	for _, row := range likenessRow.FindAllStringSubmatch(string(page), -1) {
		key := strings.Trim(row[1], "`")
		want, have := fmt.Sprintf("%q:%s", key, row[2]), fmt.Sprintf("%q:%s", key, row[3])
		checkLikeness(t, row[4], []string{want}, []string{have})
		expected, called = append(expected, want), append(called, have)
	}
	mean := likenessMean.FindStringSubmatch(string(page))
	if len(expected) != 2 || mean == nil {
		t.Fatalf("the page has %d rows of likeness and the mean %q, want 2 rows and a mean", len(expected), mean)
	}
	checkLikeness(t, mean[1], expected, called)
}

// checkLikeness checks a number of the page against the likeness of two objects, which are given as their members.
func checkLikeness(t *testing.T, written string, expected, called []string) {
	t.Helper()
	object := func(members []string) Value {
		v, err := Decode("{" + strings.Join(members, ",") + "}")
		if err != nil {
			t.Fatalf("the members %q of the page are no JSON: %v", members, err)
		}
		return v
	}
	texts := names.Budget(compare.MaxSteps)
	if got := strconv.FormatFloat(1-compare.Distance(object(expected), object(called), &texts), 'f', -1, 64); got != written {
		t.Errorf("the page has the likeness %s for %q and %q, computed is %s", written, expected, called, got)
	}
}
