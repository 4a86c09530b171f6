package expect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
)

func readLines(t *testing.T, source io.Reader) (*reader, error) {
	t.Helper()
	parser, err := conditions.NewParser(componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)
	r := &reader{ctx: t.Context(), parser: parser, cases: &caseFile{look: file{path: "x"}, byKey: map[string]caseText{}}}
	return r, r.lines(source)
}

func TestLines(t *testing.T) {
	a, b := `{"key":"a","tools":[]}`, `{"key":"b","tools":[]}`
	longest := a + strings.Repeat(" ", maxLine-len(a))
	for _, tc := range []struct{ name, text, cases, fault, reason string }{
		{"empty", "", "", "", "no line"},
		{"blank", "\n \r\n\t\n", "", "", "blank lines say nothing"},
		{"plain", a + "\n" + b + "\n", "a1 b2", "", "counted from 1"},
		{"half", a + "\n" + b, "a1 b2", "", "the last one may have no end"},
		{"half of a case", a + "\n" + b[:5], "a1", "x:2: is no JSON: unexpected EOF", "its end is missing"},
		{"no number of a float", `{"key":"a","tools":[{"name":"b","matchers":{"x":{"near":1,"within":1e400}}}]}`, "", "x:1: tools.matchers.within: has a value of the wrong kind: number 1e400", "it is JSON"},
		{"windows", "\uFEFF" + a + "\r\n\r\n" + b + "\r\n", "a1 b3", "", "a byte order mark and CRLF are no part of a case"},
		{"longest", longest + "\r\n" + b + "\n", "a1 b2", "", "as long as may be"},
		{"too long", a + "\n" + longest + "  \n" + b + "\n", "a1", "x:2: the line is longer than 1 MiB", "the rest is not read"},
		{"too long at the end", strings.Repeat("x", 3*maxLine), "", "x:1: the line is longer than 1 MiB", "nothing behind it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, err := readLines(t, strings.NewReader(tc.text))
			require.NoError(t, err)
			var cases []string
			for _, key := range []string{"a", "b"} {
				if c, ok := r.cases.byKey[key]; ok {
					cases = append(cases, fmt.Sprint(key, c.line))
				}
			}
			assert.Equal(t, tc.cases, strings.Join(cases, " "), tc.reason)
			if tc.fault == "" {
				require.Empty(t, r.faults, tc.reason)
				return
			}
			require.Len(t, r.faults, 1)
			require.EqualError(t, r.faults[0], tc.fault, tc.reason)
		})
	}
	broken := errors.New("broken")
	_, err := readLines(t, iotest.ErrReader(broken))
	require.ErrorIs(t, err, broken)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, (&reader{ctx: ctx}).lines(strings.NewReader(a)), context.Canceled)
}
