package runs_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs/runstest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/testrows"
)

// A row of testdata/rows is a log, and what becomes of it: see package runstest.
type row struct {
	Name, Reason string
	With         []string // what is not as closeAll says
	Log, Want    string
}

// A setting is how a log is examined.
type setting struct {
	runs.Options
	runs.Examination
}

// closeAll is the last examination of a log: all waits are over, and nothing more may arrive.
func closeAll() *setting {
	return &setting{
		Options:     runs.Options{MaxCalls: 100, KeepArguments: true, KeepOutput: true},
		Examination: runs.Examination{Now: at(1000), Due: at(1000).UnixNano(), Final: true, By: evidence.ByIdle},
	}
}

// closeUntil is an examination after which more may arrive. The wait of anchors that arrived until then is over.
func closeUntil(seconds float64) *setting {
	s := closeAll()
	s.Due, s.Final = at(seconds).UnixNano(), false
	return s
}

// at is a time of the language.
func at(seconds float64) time.Time { return runstest.Time(seconds).AsTime() }

var with = map[string]func(*setting){
	"until 5":       func(s *setting) { s.Due, s.Final = closeUntil(5).Due, false },
	"by shutdown":   func(s *setting) { s.By = evidence.ByShutdown },
	"by limit":      func(s *setting) { s.Due, s.By = 0, evidence.ByLimit },
	"include":       func(s *setting) { s.Include = true },
	"whole trace":   func(s *setting) { s.WholeTrace = true },
	"conversations": func(s *setting) { s.Conversations = true },
	"messages":      func(s *setting) { s.Sources = runs.Messages },
	"spans":         func(s *setting) { s.Sources = runs.Spans },
}

// The log of each row of testdata/rows is examined, and what closes is what the row says.
func TestRows(t *testing.T) {
	files, err := filepath.Glob("testdata/rows/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		for _, r := range testrows.Read[row](t, file) {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml")+"/"+r.Name, func(t *testing.T) {
				require.NotEmpty(t, r.Reason, "the row has no reason")
				s := closeAll()
				for _, change := range r.With {
					require.Contains(t, with, change)
					with[change](s)
				}
				require.Equal(t, r.Want, s.then(t, new(evidence.Log), r.Log), "%s\nin %s", r.Reason, r.Log)
			})
		}
	}
}

// then adds spans to a log, and returns what closes after that.
func (s *setting) then(t *testing.T, log *evidence.Log, text string) string {
	t.Helper()
	runstest.Add(t, log, text)
	closed := runs.Runs(log, &s.Options, &s.Examination)
	return runstest.Text(&closed)
}

// left writes what is left in a log for runs that close later, without links and closed runs.
func left(log *evidence.Log) string {
	var all []string
	for i := range log.Traces {
		for k := range log.Traces[i].Facts {
			switch f := &log.Traces[i].Facts[k]; {
			case f.Closed:
			case f.Call != nil:
				all = append(all, "tool "+f.Call.Name)
			case f.Response != nil:
				all = append(all, "model")
			case f.Kind != evidence.None:
				all = append(all, strings.TrimSpace("agent "+f.Agent))
			}
		}
		for k := range log.Traces[i].Held {
			all = append(all, "held "+log.Traces[i].Held[k].Data.Name())
		}
	}
	return strings.Join(all, ", ")
}
