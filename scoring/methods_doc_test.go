package scoring

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the tables in docs/methods.md and docs/methods-of-others.md")

// comparison says what the methods compare in a row of the table.
type comparison string

const (
	namesOnly     comparison = "names"
	inThatOrder   comparison = "names, in order"
	withArguments comparison = "arguments"
)

// methodsFor returns the columns of the table: each method with the closest options that it has, else with its defaults.
func methodsFor(c comparison) []Method {
	n, x := DefaultNative(), DefaultAxion()
	d, s, l := DefaultDeepEval(), DefaultDeepEval(), DefaultEvalLib()
	switch c {
	case inThatOrder:
		n.Order, x.StrictOrder = InOrder, true
		d.ShouldConsiderOrdering, s.ShouldConsiderOrdering, l.CheckOrdering = true, true, true
	case withArguments:
		n.Arguments, x.CheckParameters = ArgumentsExact, true
		d.EvaluationParams, s.EvaluationParams = []string{"input_parameters"}, []string{"input_parameters"}
	}
	return []Method{
		must(NewNative(n)), must(NewAxion(x)), must(NewDeepEval(d)), must(NewDeepEvalMultimodal(d)),
		must(NewEvalSharp(s)), must(NewGaltea(GalteaOptions{})), must(NewEvalLib(l)),
	}
}

// A docRow is a line of the table. Lists are written "search(JSON) refund". A call without brackets has no arguments, and the
// arguments of "search?" were not captured.
type docRow struct {
	title            string
	compared         comparison
	expected, called string
	reason           string
}

var docTable = []docRow{
	{"Another order", namesOnly, "search refund", "refund search", "The order is free by default."},
	{"Another order", inThatOrder, "search refund", "refund search", "Axion's strict order is all or nothing; Galtea ignores order."},
	{"An extra call between", inThatOrder, "search refund", "search log refund", "Axion compares position by position, Galtea compares sets."},
	{"The same call twice, as expected", namesOnly, `poll poll`, `poll poll`, "DeepEval in Python counts identical calls once."},
	{"Nothing expected, nothing called", namesOnly, "", "", "Nothing is missing, or nothing matched."},
	{"Nothing expected, nothing called", inThatOrder, "", "", "Two divide by zero: one crashes, one yields NaN."},
	{"Nothing expected, something called", namesOnly, "", "search", "Native recall and eval_lib count only missed tools."},
	{"No arguments on either side", withArguments, "ping", "ping", "EvalSharp divides 0 by 0. The multimodal metric crashes on null."},
	{"1 and 1.0", withArguments, `pay({"n":1})`, `pay({"n":1.0})`, "Equal as numbers, different as C# types."},
	{"An equal nested object", withArguments, `pay({"to":{"id":7}})`, `pay({"to":{"id":7}})`, "EvalSharp compares objects and lists by reference."},
	{"One of two arguments differs", withArguments, `pay({"n":1,"m":2})`, `pay({"n":1,"m":3})`, "Native gives partial credit with `arguments: partial`."},
	{"The same call twice, arguments and output not captured", namesOnly, `poll poll`, `poll? poll?`, "The calls may be identical. With `uncaptured: none` they are, and the score is 0.5."},
	{"Arguments not captured", withArguments, `pay({"n":1})`, "pay?", "Unknown arguments are not scored as wrong."},
}

// TestMethodsTable: the table in docs/methods-of-others.md is what the methods compute.
func TestMethodsTable(t *testing.T) {
	checkPage(t, "methods-of-others.md", "<!-- table: begin, written by TestMethodsTable -->\n", "<!-- table: end -->", markdownTable(t))
}

// checkPage requires that a page of docs has a text between two marks. With -update it writes the text.
func checkPage(t *testing.T, page, begin, end, text string) {
	t.Helper()
	path := filepath.Join("..", "docs", page)
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(old), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s lacks the marks of the table", path)
	}
	want := before + begin + text + end + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(old) != want {
		t.Errorf("%s is stale; go test ./scoring -run %s -update rewrites it", path, t.Name())
	}
}

func markdownTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| expected | called | compared |")
	for _, m := range methodsFor(namesOnly) {
		fmt.Fprintf(&b, " %s |", m.Name())
	}
	b.WriteString("\n|---|---|---|" + strings.Repeat("---|", len(methodsFor(namesOnly))) + "\n")
	for _, r := range docTable {
		if r.reason == "" {
			t.Errorf("%s, %s: the row has no reason", r.title, r.compared)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |", code(r.expected), code(r.called), r.compared)
		e, calls := lists(t, r.expected, r.called)
		for _, m := range methodsFor(r.compared) {
			fmt.Fprintf(&b, " %s |", cell(m.Judge(e, calls)))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func code(list string) string {
	if list == "" {
		return "nothing"
	}
	return "`" + list + "`"
}

// cell returns a score with at most three decimals, or why there is none.
func cell(v Verdict) string {
	if v.Status != Scored {
		return v.Status.String()
	}
	return strconv.FormatFloat(float64(int(v.Score*1000+0.5))/1000, 'f', -1, 64)
}

// lists parses a list of expected tools and one of calls.
func lists(t *testing.T, expected, called string) (*Expectation, []Call) {
	t.Helper()
	tools, calls := []Tool{}, []Call{}
	for word := range strings.FieldsSeq(expected) {
		name, arguments, output := split(word)
		tools = append(tools, Tool{Name: name, Arguments: arguments, Output: output})
	}
	for word := range strings.FieldsSeq(called) {
		name, arguments, output := split(word)
		call := Call{Name: name, Arguments: Omitted(), Output: Omitted()}
		if name, dark := strings.CutSuffix(name, "?"); dark {
			call = Call{Name: name}
		}
		if arguments != (Payload{}) {
			call.Arguments = arguments
		}
		if output != (Payload{}) {
			call.Output = output
		}
		calls = append(calls, call)
	}
	return expectation(t, ExpectationSettings{Tools: tools}), calls
}

// split splits "name(arguments)→output". A payload that is not there is the zero Payload.
func split(word string) (name string, arguments, output Payload) {
	word, result, hasOutput := strings.Cut(word, "→")
	if hasOutput {
		output = JSON(result)
	}
	name, list, hasArguments := strings.Cut(word, "(")
	if hasArguments {
		arguments = JSON(strings.TrimSuffix(list, ")"))
	}
	return name, arguments, output
}
