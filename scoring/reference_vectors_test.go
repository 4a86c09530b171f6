package scoring

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"regexp"
	"testing"
)

// The vectors are results of the reference systems. Each line is a run, and every line is tested:
//
//   - axion: commit 8024937; evalsharp: commit 55f58f5; difflib: Python 3.11.7
//   - deepeval: 4.1.10, 4.1.8 and the multimodal metric of 3.7.4, on Python 3.11.7
//   - eval_lib: 0.7.4, and the same runs by 0.8.2 in eval_lib_08
//   - galtea: derived from its documentation (Galtea-AI/docs f68bb4a)
//
// Key order and number lexemes count, so payloads stay raw text.
type vector struct {
	ID, System, Version string
	Options             json.RawMessage
	Expected, Called    []vectorCall
	Score               json.RawMessage
	Pass                *bool
	// HashSensitive has all scores that were observed, if Python's set order changes the last bit.
	HashSensitive []float64 `json:"score_hash_sensitive"`
}

type vectorCall struct {
	Name, Type string
	Args       json.RawMessage
	Output     json.RawMessage
}

func TestVectors(t *testing.T) {
	for _, tc := range []struct {
		file   string
		lines  int
		method func(t *testing.T, v *vector) Method
		reason string
	}{
		{"axion", 1197, axionOf, "Axion at HEAD"},
		{"deepeval", 3599, deepEvalOf, "three generations of DeepEval in Python"},
		{"evalsharp", 1225, evalSharpOf, "EvalSharp on values built by hand"},
		{"eval_lib", 772, evalLibOf, "names only"},
		{"eval_lib_08", 772, evalLibOf, "the same runs by the newest version"},
		{"galtea", 740, galteaOf, "derived from documentation"},
	} {
		t.Run(tc.file, func(t *testing.T) {
			lines := 0
			for line := range gzipLines(t, tc.file) {
				lines++
				var v vector
				decodeStrictly(t, line, &v)
				checkVector(t, &v, tc.method(t, &v))
			}
			if lines != tc.lines {
				t.Errorf("%s has %d lines, want %d: %s", tc.file, lines, tc.lines, tc.reason)
			}
		})
	}
}

func checkVector(t *testing.T, v *vector, m Method) {
	t.Helper()
	got := m.Judge(v.expectation(t), v.calls(t))
	status, score := v.want(t)
	if got.Status != status {
		t.Errorf("%s: status %v (%s), want %v", v.ID, got.Status, got.Why, status)
		return
	}
	if status == Scored {
		v.checkScore(t, got.Score, score)
	}
	if v.Pass != nil && got.Passed != *v.Pass {
		t.Errorf("%s: passed %v, want %v", v.ID, got.Passed, *v.Pass)
	}
	checkVerdict(t, got)
}

func (v *vector) checkScore(t *testing.T, got, want float64) {
	t.Helper()
	if v.HashSensitive == nil && got != want || math.Abs(got-want) > 1e-12 {
		t.Errorf("%s: score %v, want %v", v.ID, got, want)
	}
}

// want returns the expected status and, if it is Scored, the score.
func (v *vector) want(t *testing.T) (Status, float64) {
	t.Helper()
	switch string(v.Score) {
	case `"error"`:
		return Failed, 0
	case `"NaN"`:
		return Undefined, 0
	}
	var score float64
	decodeStrictly(t, v.Score, &score)
	return Scored, score
}

// expectation does not use NewExpectation, which refuses null lists and tools without a name. The references accept both.
func (v *vector) expectation(t *testing.T) *Expectation {
	t.Helper()
	if v.Expected == nil {
		return &Expectation{}
	}
	tools := make([]Tool, len(v.Expected))
	for i, c := range v.Expected {
		tools[i] = Tool{Name: c.Name, Type: c.toolType(t), Arguments: rawOr(c.Args, Payload{}), Output: rawOr(c.Output, Payload{})}
	}
	return &Expectation{settings: ExpectationSettings{Tools: tools}}
}

func (v *vector) calls(t *testing.T) []Call {
	t.Helper()
	if v.Called == nil {
		return nil
	}
	calls := make([]Call, len(v.Called))
	for j, c := range v.Called {
		calls[j] = Call{Name: c.Name, Type: c.toolType(t), Arguments: rawOr(c.Args, Omitted()), Output: rawOr(c.Output, Omitted())}
	}
	return calls
}

func (c *vectorCall) toolType(t *testing.T) ToolType {
	t.Helper()
	switch c.Type {
	case "", "FUNCTION":
		return FunctionTool
	case "MCP":
		return MCPTool
	}
	t.Fatalf("unknown type %q", c.Type)
	return 0
}

func rawOr(raw json.RawMessage, absent Payload) Payload {
	if raw == nil {
		return absent
	}
	return JSON(string(raw))
}

// options decodes the options of a vector, whose keys are written with underscores.
func options[O any](t *testing.T, v *vector) (o O) {
	t.Helper()
	plain := optionKey.ReplaceAllFunc(v.Options, func(key []byte) []byte { return bytes.ReplaceAll(key, []byte("_"), nil) })
	decodeStrictly(t, plain, &o)
	return o
}

var optionKey = regexp.MustCompile(`"\w+"\s*:`)

func axionOf(t *testing.T, v *vector) Method {
	t.Helper()
	return must(NewAxion(options[AxionOptions](t, v)))
}

// newDeepEval418 makes DeepEval from 3.5.0 to 4.1.8: types do not count yet.
func newDeepEval418(o DeepEvalOptions) (Method, error) {
	m, err := NewDeepEval(o)
	if err == nil {
		m.(*reference).types = false
	}
	return m, err
}

func deepEvalOf(t *testing.T, v *vector) Method {
	t.Helper()
	o := options[DeepEvalOptions](t, v)
	switch v.Version {
	case "tool_correctness@4.1.10":
		return must(NewDeepEval(o))
	case "multimodal@3.7.4":
		return must(NewDeepEvalMultimodal(o))
	case "tool_correctness@4.1.8":
		return must(newDeepEval418(o))
	}
	t.Fatalf("%s: unknown version %q", v.ID, v.Version)
	return nil
}

func evalSharpOf(t *testing.T, v *vector) Method {
	t.Helper()
	return must(NewEvalSharp(options[DeepEvalOptions](t, v)))
}

func evalLibOf(t *testing.T, v *vector) Method {
	t.Helper()
	o := options[EvalLibOptions](t, v)
	o.Version = v.Version[:3]
	return must(NewEvalLib(o))
}

func galteaOf(t *testing.T, v *vector) Method {
	t.Helper()
	o := options[struct {
		Prefixes  []string
		TrimSpace bool
	}](t, v)
	return must(NewGaltea(GalteaOptions{StripPrefixes: o.Prefixes, TrimSpace: o.TrimSpace}))
}

// gzipLines yields the lines of a compressed file in testdata.
func gzipLines(t *testing.T, name string) func(yield func([]byte) bool) {
	t.Helper()
	file, err := os.Open("testdata/" + name + ".jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	return func(yield func([]byte) bool) {
		for lines.Scan() && yield(lines.Bytes()) {
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// decodeStrictly decodes JSON. It refuses unknown fields, except in a vector.
func decodeStrictly(t *testing.T, text []byte, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	if _, line := into.(*vector); !line {
		d.DisallowUnknownFields()
	}
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// must returns a method whose options are known to be valid.
func must[M Method](m M, err error) Method {
	if err != nil {
		panic(err)
	}
	return m
}
