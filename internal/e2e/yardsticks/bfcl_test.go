//go:build benchmarks

package yardsticks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A function is what BFCL describes to a model.
type function struct {
	Name       string
	Parameters struct {
		Properties map[string]parameter
		Required   []string
	}
}

type parameter struct {
	Type  string
	Items struct{ Type string }
}

// functions are one function or a list.
type functions []function

func (f *functions) UnmarshalJSON(text []byte) error {
	if text[0] == '[' {
		return json.Unmarshal(text, (*[]function)(f))
	}
	*f = make(functions, 1)
	return json.Unmarshal(text, &(*f)[0])
}

// BFCL's AST check asks for the same number of calls as there are answers, with the same names, and for each argument one of the values that
// the answer lists, in the type that the function's description says. Its relevance check asks for no call.
func TestBFCL(t *testing.T) {
	data := os.Getenv("DATA")
	require.NotEmpty(t, data, "DATA must name a folder: see make e2e-benchmarks")
	gorilla := filepath.Join(data, "gorilla")
	results := filepath.Join(data, "BFCL-Result", "2024-08-11")

	var cases []toolCase
	for _, category := range []string{"simple", "multiple_function", "parallel_function", "parallel_multiple_function", "relevance"} {
		file := "gorilla_openfunctions_v1_test_" + category + ".json"
		folder := filepath.Join(gorilla, "berkeley-function-call-leaderboard", "data")
		questions := readLines[struct{ Function functions }](t, filepath.Join(folder, file))
		var answers []struct {
			Truth ordered `json:"ground_truth"`
		}
		if category != "relevance" {
			answers = readLines[struct {
				Truth ordered `json:"ground_truth"`
			}](t, filepath.Join(folder, "possible_answer", file))
			require.Len(t, answers, len(questions))
		}
		for i, question := range questions {
			for _, names := range []string{"dots", "underscores"} {
				c := toolCase{Key: fmt.Sprintf("%s %d %s", category, i+1, names), Tools: []tool{}}
				if answers != nil {
					for _, answer := range answers[i].Truth {
						c.Tools = append(c.Tools, toolOf(question.Function, answer, names == "underscores"))
					}
				}
				cases = append(cases, c)
			}
		}
	}

	var ast, relevance []trial
	command := exec.CommandContext(t.Context(), "python3", "-I", "-S", "-W", "ignore", filepath.Join("..", "references", "decode_bfcl.py"), gorilla, filepath.Join(results, "result"))
	command.Stderr = os.Stderr
	decoded, err := command.Output()
	require.NoError(t, err)
	unread, failures := 0, map[string]map[int]string{}
	eachLine(t, bytes.NewReader(decoded), func(line []byte) {
		var d struct {
			Model, Category, Names string
			ID                     int
			Calls                  []call
		}
		require.NoError(t, json.Unmarshal(line, &d))
		file := filepath.Join(results, "score", d.Model, d.Category+"_score.json")
		if failures[file] == nil {
			failures[file] = map[int]string{}
			for _, failure := range readLines[struct {
				ID   int
				Type string `json:"error_type"`
			}](t, file)[1:] {
				failures[file][failure.ID] = failure.Type
			}
		}
		failure := failures[file][d.ID]
		tr := trial{model: d.Model, name: fmt.Sprintf("%s %d", d.Category, d.ID), expected: fmt.Sprintf("%s %d %s", d.Category, d.ID, d.Names), published: 1}
		if failure != "" {
			tr.published = 0
		}
		if len(d.Calls) > 0 {
			tr.answers = [][]call{d.Calls}
		}
		if d.Category == "relevance" {
			relevance = append(relevance, tr)
			return
		}
		require.Equal(t, strings.HasPrefix(failure, "ast_decoder:"), d.Calls == nil, "%+v", tr)
		if d.Calls == nil {
			unread++ // BFCL found no calls in the text, so there is no trajectory
			return
		}
		ast = append(ast, tr)
	})
	t.Logf("bfcl: in %d answers BFCL found no calls", unread)
	const options = "{ arguments: exact, score: all_or_nothing, extra_calls: forbid }"
	reproduce(t, yardstick{name: "bfcl-ast", options: options}, cases, ast)
	reproduce(t, yardstick{name: "bfcl-relevance", options: options}, cases, relevance)
}

// A possible call is an answer of BFCL: the values that each argument may have. "" among them says that the argument may be absent.
type possible struct {
	name   string
	values map[string][]any
}

// ordered are the members of an object in their order.
type ordered []possible

func (o *ordered) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		p := possible{name: name.(string)}
		var wrong *json.UnmarshalTypeError
		if err := d.Decode(&p.values); err != nil && !errors.As(err, &wrong) { // one answer is the value of an argument
			return err
		}
		*o = append(*o, p)
	}
	return nil
}

// toolOf is what is expected of one call. Names of answers end in numbers where a function is called twice: the description with a name
// that is part of it counts, as in BFCL.
func toolOf(described functions, answer possible, underscores bool) tool {
	f := described[0]
	if len(described) > 1 {
		at := slices.IndexFunc(described, func(f function) bool { return strings.Contains(answer.name, f.Name) })
		if at < 0 {
			return tool{Name: answer.name} // which no model was offered
		}
		f = described[at]
	}
	to := tool{Name: f.Name, Arguments: struct{}{}, Matchers: map[string]matcher{}}
	if underscores {
		to.Name = strings.ReplaceAll(f.Name, ".", "_")
	}
	var conditions []string
	for _, name := range slices.Sorted(maps.Keys(answer.values)) {
		values := answer.values[name]
		p, known := f.Parameters.Properties[name]
		absent := slices.Contains(values, any("")) && !slices.Contains(f.Parameters.Required, name)
		listed := slices.Contains(values, any(""))
		if !p.isText() { // BFCL accepts no empty text for it
			values = slices.DeleteFunc(slices.Clone(values), func(v any) bool { return v == "" })
		}
		if listed && (p.Type == "array" || p.Type == "tuple") { // but an empty list
			values = append(values, []any{})
		}
		if absent && (!known || len(values) == 0) {
			continue // BFCL accepts no value
		}
		path := "arguments[" + strconv.Quote(name) + "]"
		m, condition := p.agrees(path, values, !listed)
		m.Optional = absent
		if m.OneOf != nil || m.Loose != nil {
			to.Matchers[name] = m
		} else {
			to.IgnoreArguments = append(to.IgnoreArguments, name)
		}
		if condition != "" {
			if absent {
				condition = fmt.Sprintf("(not ContainsValue(Keys(arguments), %q) or %s)", name, condition)
			}
			conditions = append(conditions, condition)
		}
	}
	to.Where = strings.Join(conditions, " and ")
	return to
}

// agrees says which values agree: a matcher, a condition, or both. A matcher compares numbers by value, and BFCL types too.
// Elements of a list have types unless the argument may be absent.
func (p parameter) agrees(path string, values []any, typed bool) (m matcher, condition string) {
	text, isText := values[0].(string)
	scalar := func(v any) bool { return kindOf(v) != "array" && kindOf(v) != "dict" && kindOf(v) != "string" }
	switch {
	case p.isText() && len(values) == 1 && isText && plain.MatchString(text):
		return matcher{Loose: text}, ""
	case !slices.ContainsFunc(values, func(v any) bool { return !scalar(v) }):
		m.OneOf = values
		if p.Type == "integer" && !slices.ContainsFunc(values, func(v any) bool { return kindOf(v) != "integer" }) {
			condition = "IsInt(" + path + ")"
		}
		return m, condition
	}
	var or []string
	for _, v := range values {
		or = append(or, p.condition(path, v, typed || kindOf(v) != "array"))
	}
	return m, "(" + strings.Join(or, " or ") + ")"
}

func (p parameter) isText() bool { return p.Type == "string" || p.Type == "any" }

// condition holds where the value at path agrees with v.
func (p parameter) condition(path string, v any, typed bool) string {
	switch v := v.(type) {
	case []any:
		and := []string{fmt.Sprintf("IsList(%s) and Len(%s) == %d", path, path, len(v))}
		for i, element := range v {
			at := fmt.Sprintf("%s[%d]", path, i)
			of := parameter{Type: p.Items.Type}
			if text, is := element.(string); is {
				and = append(and, loose(at, text))
			} else {
				and = append(and, of.condition(at, element, typed))
			}
		}
		return "(" + strings.Join(and, " and ") + ")"
	case map[string]any:
		and := []string{fmt.Sprintf("IsMap(%s) and Len(%s) == %d", path, path, len(v))}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			at := path + "[" + strconv.Quote(key) + "]"
			switch member := v[key].(type) {
			case []any:
				var or []string
				for _, value := range member {
					or = append(or, parameter{Type: "string"}.condition(at, value, false))
				}
				and = append(and, "("+strings.Join(or, " or ")+")")
			default:
				and = append(and, parameter{Type: "dict"}.condition(at, member, false))
			}
		}
		return "(" + strings.Join(and, " and ") + ")"
	case string:
		if p.isText() {
			return loose(path, v)
		}
		return path + " == " + strconv.Quote(v)
	case json.Number:
		if !typed || p.Type == "float" && kindOf(v) == "integer" {
			return path + " == " + v.String()
		}
		if kindOf(v) == "integer" {
			return "(IsInt(" + path + ") and " + path + " == " + v.String() + ")"
		}
		return "(IsDouble(" + path + ") and " + path + " == " + v.String() + ")"
	}
	return path + " == " + fmt.Sprint(v)
}

// plain are texts of which a matcher ignores the same as BFCL.
var plain = regexp.MustCompile(`^[\pL\pN ]*[\pL\pN][\pL\pN ]*$`)

var ignored = regexp.MustCompile(`[ ,./_*^-]`)

// loose holds for a text that equals another but for case, quotes and what BFCL ignores.
func loose(path, text string) string {
	const skip = `[ ,./_*^-]*`
	letters := []string{"(?i)^"}
	for _, r := range ignored.ReplaceAllString(text, "") {
		letter := regexp.QuoteMeta(string(r))
		if r == '"' || r == '\'' {
			letter = `["']`
		}
		letters = append(letters, letter)
	}
	return fmt.Sprintf("(IsString(%s) and IsMatch(%s, %q))", path, path, strings.Join(append(letters, "$"), skip))
}

// kindOf is the type of a value, as BFCL's descriptions name it.
func kindOf(v any) string {
	switch v := v.(type) {
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "float"
		}
		return "integer"
	case string:
		return "string"
	case bool:
		return "boolean"
	case []any:
		return "array"
	}
	return "dict"
}
