package runs_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs/runstest"
)

// A row is a log, and what becomes of it: see package runstest.
type row struct {
	name, reason string
	log, want    string
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

// check examines the log of each row, and compares what closed.
func check(t *testing.T, s *setting, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			log := runstest.Log(t, r.log)
			closed := runs.Runs(log, &s.Options, &s.Examination)
			require.Equal(t, trimmed(r.want), runstest.Text(&closed), "%s\nin %s", r.reason, r.log)
		})
	}
}

// trimmed is a text without indentation and empty lines.
func trimmed(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// then adds spans to a log, and returns what closes after that.
func (s *setting) then(t *testing.T, log *evidence.Log, text string) string {
	t.Helper()
	runstest.Add(t, log, text)
	closed := runs.Runs(log, &s.Options, &s.Examination)
	return runstest.Text(&closed)
}
