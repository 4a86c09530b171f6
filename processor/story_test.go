package processor

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.yaml.in/yaml/v3"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	expectations "github.com/toolcorrectness/toolcorrectnessprocessor/internal/expect"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/journal/journaltest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/testrows"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A story of a file in testdata/stories is what happens to a processor and what comes of it, a step a line. What is behind " #" is the
// reason.
//
//	> agent a [1-9]; tool c<a [2-3] search   sends spans in one call: see spansOf; with !> they are refused
//	11s: a c                                 time goes by, and these spans come out meanwhile; - if none does
//	a: score 1, closed_by anchor, passed -   attributes of the verdict on a; -: it is not there, ~x: its text has x
//	a: as before                             its verdict is that of the processor before
//	late_calls 1                             a metric, also verdicts{agent=desk} 1
//	records 0                                how many records of open runs are stored
//	statuses [StatusOK]                      what the host was told
//	refuse, accept                           the next consumer does from now on
//	full, broken, mended                     the storage is from now on: it takes removals, nothing, everything
//	kill, shutdown, start                    the processor ends, and the next one starts on the same storage; crash: kill, start
//	a_name                                   one of hooks
type story struct {
	Name, Reason string            // the reason is here, in the name or in the text
	Stored       bool              // the processor has a storage
	Mutates      bool              // the next consumer changes spans that it refuses
	Settings     yaml.Node         // of the processor, by the fields' names
	Reloads      time.Duration     // expectations are read from a source, that often
	When, From   string            // the condition of the expectation, and the attribute that has it
	Expects      *expected         // in place of the tool search
	Native       map[string]string // options of the method
	Texts        map[string]string // what $name is, as an attribute of a span
	Text         string
}

// expected are tools by name, and behind it maybe their arguments.
type expected struct {
	Tools, Forbidden []string
	Turns            [][]string
}

func (x expected) settings() (s scoring.ExpectationSettings) {
	tools := func(texts []string) (all []scoring.Tool) {
		for _, text := range texts {
			name, arguments, has := strings.Cut(text, " ")
			all = append(all, scoring.Tool{Name: name})
			if has {
				all[len(all)-1].Arguments = scoring.JSON(arguments)
			}
		}
		return all
	}
	for _, turn := range x.Turns {
		s.Turns = append(s.Turns, scoring.ExpectationSettings{Tools: tools(turn)})
	}
	s.Tools, s.Forbidden = tools(x.Tools), tools(x.Forbidden)
	return s
}

// change are the settings of the story.
func (s *story) change(t *testing.T, set *Settings, k *sink) {
	k.mutates = s.Mutates
	if s.Stored {
		stored(set, k)
	}
	if !s.Settings.IsZero() {
		text, err := yaml.Marshal(&s.Settings)
		require.NoError(t, err)
		decoder := yaml.NewDecoder(bytes.NewReader(text))
		decoder.KnownFields(true)
		require.NoError(t, decoder.Decode(&struct {
			*Settings    `yaml:",inline"`
			Evaluate     *evaluate.Settings       `yaml:",inline"`
			Expectations *evaluate.ExpectationSet `yaml:",inline"`
		}{set, &set.Settings, &set.ExpectationSet}))
	}
	if s.Native != nil {
		o := scoring.DefaultNative()
		for key, word := range s.Native {
			known := false
			switch key {
			case "order":
				o.Order, known = scoring.Parse[scoring.Order](word)
			case "concurrent":
				o.Concurrent, known = scoring.Parse[scoring.Concurrent](word)
			case "repeats":
				o.Repeats, known = scoring.Parse[scoring.Repeats](word)
			case "arguments":
				o.Arguments, known = scoring.Parse[scoring.ArgumentMode](word)
			}
			require.True(t, known, "%s: %s", key, word)
		}
		set.Metrics[0].Method, _ = scoring.NewNative(o) // the options are ours
	}
	if s.Expects != nil {
		expect(t, s.Expects.settings())(set, k)
	}
	if s.When != "" {
		set.Expectations[0].When = conditionOf(t, componenttest.NewNopTelemetrySettings(), s.When)
	}
	if s.From != "" {
		x := &set.Expectations[0]
		x.Expected, x.FromAttribute, x.Parse = nil, s.From, expectations.Parse
	}
}

// Each story of testdata/stories is true.
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/stories/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		names := map[string]bool{}
		for _, s := range testrows.Read[story](t, file) {
			require.False(t, names[s.Name], "%s has two stories %q", file, s.Name)
			names[s.Name] = true
			t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml")+"/"+s.Name, func(t *testing.T) { synctest.Test(t, s.tell) })
		}
	}
}

// A teller tells a story. It is the host of its processors, and their only extension is a storage.
type teller struct {
	*journaltest.Storage
	story
	*rig
	source   source
	statuses []componentstatus.Status
	before   map[string]map[string]any // verdicts of the processor before
}

func (h *teller) Report(event *componentstatus.Event) {
	h.statuses = append(h.statuses, event.Status())
}

func (s story) tell(t *testing.T) {
	h := &teller{Storage: journaltest.New(), story: s}
	h.start(t)
	for line := range strings.Lines(s.Text) {
		step, _, _ := strings.Cut(line, " #")
		if step = strings.TrimSpace(step); step != "" {
			t.Log(strings.TrimSpace(line))
			h.step(t, step)
		}
	}
	require.NoError(t, h.rig.Shutdown(context.Background()))
	require.NoError(t, h.rig.Shutdown(context.Background()), "a second time")
	h.conserved()
	require.Zero(t, h.Open, "clients of the storage that are still open")
}

func (h *teller) start(t *testing.T) {
	if h.rig != nil {
		require.NoError(t, h.telemetry.Shutdown(t.Context()))
		for id, span := range h.sink.spans {
			h.before[nameOf(id)] = span.Attributes().AsRaw()
		}
	} else {
		h.before = map[string]map[string]any{}
	}
	h.rig = newRig(t, func(set *Settings, k *sink) {
		h.change(t, set, k)
		if h.Reloads > 0 {
			h.source.reloading(h.Reloads)(set, k)
		}
	})
	require.NoError(t, h.rig.Start(t.Context(), h))
}

// end kills the processor, whose client of the storage stays open.
func (h *teller) end() {
	h.kill()
	h.Open = 0
}

var (
	timeStep   = regexp.MustCompile(`^(\d+(?:ms|s|m|h)): (.*)$`)
	spanStep   = regexp.MustCompile(`^([\w.]+): (.*)$`)
	metricStep = regexp.MustCompile(`^([a-z_]+)(?:\{(\w+)=(.*)\})? (\d+)$`)
)

func (h *teller) step(t *testing.T, step string) {
	do := map[string]func(){
		"refuse": func() { h.sink.refuse(errNotNow) }, "accept": func() { h.sink.refuse(nil) },
		"full": func() { h.Ask(journaltest.RemovalsOnly) }, "broken": func() { h.Ask(journaltest.NoWrites) }, "mended": func() { h.Ask(nil) },
		"kill": h.end, "start": func() { h.start(t) }, "crash": func() { h.end(); h.start(t) },
		"shutdown": func() { require.NoError(t, h.rig.Shutdown(context.Background())) },
	}
	if f := do[step]; f != nil {
		f()
	} else if f := hooks[step]; f != nil {
		f(h)
	} else if text, ok := strings.CutPrefix(step, "> "); ok {
		require.NoError(t, h.send(spansWith(h.t, text, h.Texts)...))
	} else if text, ok := strings.CutPrefix(step, "!> "); ok {
		err := h.send(spansWith(h.t, text, h.Texts)...)
		require.Error(t, err)
		require.False(t, consumererror.IsPermanent(err), err)
	} else if text, ok := strings.CutPrefix(step, "statuses "); ok {
		require.Equal(t, text, fmt.Sprint(h.statuses))
	} else if part := timeStep.FindStringSubmatch(step); part != nil {
		d, err := time.ParseDuration(part[1])
		require.NoError(t, err)
		require.Equal(t, part[2], h.elapsed(d))
	} else if part := spanStep.FindStringSubmatch(step); part != nil {
		h.judged(t, part[1], part[2])
	} else if part := metricStep.FindStringSubmatch(step); part != nil {
		want, err := strconv.Atoi(part[4])
		require.NoError(t, err)
		switch {
		case part[1] == "records":
			require.Len(t, recordsIn(h.Storage), want)
		case part[2] != "":
			require.Equal(t, want, h.totalWith(part[1], part[2], part[3]))
		default:
			require.Equal(t, want, h.total(part[1]))
		}
	} else {
		t.Fatalf("no such step: %q", step)
	}
}

// elapsed lets time go by, and returns the names of the spans that came out since the step before, sorted.
func (h *teller) elapsed(d time.Duration) string {
	time.Sleep(d)
	synctest.Wait()
	h.sink.mu.Lock()
	defer h.sink.mu.Unlock()
	names := h.sink.names
	h.sink.names = nil
	slices.Sort(names)
	if len(names) == 0 {
		return "-"
	}
	return strings.Join(names, " ")
}

// judged checks attributes of the verdict on a span.
func (h *teller) judged(t *testing.T, name, want string) {
	got := h.verdict(name)
	if want == "as before" {
		require.Equal(t, h.before[name], got)
		return
	}
	for part := range strings.SplitSeq(want, ", ") {
		key, value, _ := strings.Cut(part, " ")
		v, there := got["tool_correctness."+key]
		switch text, has := strings.CutPrefix(value, "~"); {
		case has:
			require.Contains(t, fmt.Sprint(v), text, key)
		case value == "-":
			require.False(t, there, "%s is %v", key, v)
		default:
			require.Equal(t, value, fmt.Sprint(v), key)
		}
	}
}

var (
	spanForm = regexp.MustCompile(`^(\w+) ([\w.-]*)(?:<(\w+))? (now)?\[(-?\d+)-(-?\d+)\](?: (.*))?$`)
	kinds    = map[string]string{"agent": "gen_ai.operation.name=invoke_agent", "workflow": "gen_ai.operation.name=invoke_workflow",
		"tool": "gen_ai.operation.name=execute_tool", "protocol": "mcp.method.name=tools/call", "plain": "http.request.method=GET", "model": "", "span": ""}
)

// spans are spans as text, with ; between them. "tool c<a [2-3] search id:z @7 by:x from:y called:n k=v" has the id c, the parent a, the
// tool search, the id of its call z, the trace 7, the scope x, the process y, the name n and an attribute k; now[2-3] counts seconds from
// now. A model has asks:NAME#ID and shows:ID.
func spans(text string) (all []span) {
	for part := range strings.SplitSeq(text, ";") {
		f := spanForm.FindStringSubmatch(strings.TrimSpace(part))
		if f == nil {
			panic("no span: " + part)
		}
		base := 0
		if f[4] != "" {
			base = int(time.Now().Unix())
		}
		from, _ := strconv.Atoi(f[5])
		to, _ := strconv.Atoi(f[6])
		s := span{id: strings.TrimPrefix(f[2], "-"), parent: f[3], start: base + from, end: base + to, attributes: map[string]any{}}
		var asked, shown []string
		for word := range strings.FieldsSeq(kinds[f[1]] + " " + f[7]) {
			key, value, pair := strings.Cut(word, "=")
			option, of, _ := strings.Cut(word, ":")
			switch {
			case pair:
				s = s.with(key, value)
			case word[0] == '@':
				n, _ := strconv.Atoi(word[1:])
				s.trace = byte(n)
			case option == "by":
				s.scope = of
			case option == "called":
				s.name = of
			case option == "from":
				s.process = of
			case option == "id":
				s = s.with("gen_ai.tool.call.id", of)
			case option == "asks":
				asked = append(asked, strings.Replace(of, "#", " ", 1))
			case option == "shows":
				shown = append(shown, of)
			default:
				s = s.with("gen_ai.tool.name", word)
			}
		}
		if f[1] == "model" {
			m := model(s.id, s.parent, s.start, s.end, shown, asked...)
			for key, value := range s.attributes {
				m = m.with(key, value)
			}
			m.trace = s.trace
			s = m
		}
		all = append(all, s)
	}
	return all
}

// spansWith are spans as text, in which attributes may be $name for a text.
func spansWith(tb testing.TB, text string, texts map[string]string) []span {
	all := spans(text)
	for i := range all {
		for key, value := range all[i].attributes {
			if name, ok := strings.CutPrefix(fmt.Sprint(value), "$"); ok {
				require.Contains(tb, texts, name)
				all[i].attributes[key] = texts[name]
			}
		}
	}
	return all
}
