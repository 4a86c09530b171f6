package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// hostile is text that controls terminals, ends elements and cells, and is markup.
const hostile = "a\x1b[31m\u202e</testcase>]]>&<script>|`*_[x](http://y) @team\n\x00\xff\u2028"

// hostileRows are a row of each outcome whose every text is hostile.
func hostileRows() []Row {
	score := 0.5
	base := Row{
		TraceID: "5b8efff798038103d269b633813fc60c", SpanID: "00000000000000a1", Agent: hostile, Conversation: hostile, Expectation: hostile,
		Metric: hostile, Reason: hostile, File: hostile, ClosedBy: "anchor", Expected: []string{hostile},
		Calls: []Call{{Name: hostile, Arguments: []byte(`{"q":"</script>"}`), Output: []byte(`"</script>"`)}},
		Steps: []Step{{Tool: hostile, Call: 0, Class: "mismatched", Faults: []string{hostile}, Arguments: []byte(`"</script>"`)}, {Tool: hostile, Call: -1, Class: Missing}, {Call: 0, Class: "unexpected"}},
	}
	rows := []Row{base, base, base, base}
	rows[0].Status, rows[0].Score, rows[0].Passed = "scored", &score, true
	rows[1].Status, rows[1].Score = "scored", &score
	rows[2].Status = "not_evaluable"
	rows[3].Status, rows[3].Metric, rows[3].Expectation, rows[3].Steps = NoExpectation, "", "", nil
	for i := range rows {
		rows[i].Run = i
	}
	return rows
}

// Text of a span stays text in JUnit's XML. internal/e2e/formats asks Jenkins' schema.
func TestJUnitIsSafe(t *testing.T) {
	b := printed(t, JUnit, hostileRows(), Options{Gate: Gate{PassRate: 1}})
	require.NotContains(t, b, "\x1b")
	require.NotContains(t, b, "\u202e")
	count := map[string]int{}
	for d := xml.NewDecoder(strings.NewReader(b)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if e, is := token.(xml.StartElement); is {
			count[e.Name.Local]++
		}
	}
	require.Equal(t, map[string]int{"testsuites": 1, "testsuite": 2, "testcase": 4, "failure": 1, "error": 1, "skipped": 1, "system-out": 4}, count)
}

// A run that only the gate fails says so in its message.
func TestJUnitKnowsTheGate(t *testing.T) {
	row := scored(1, 0.6, true)
	row.Reason = "Passed: all is well."
	b := printed(t, JUnit, []Row{row}, Options{Gate: Gate{PassRate: 1, FailUnder: 0.7}})
	require.Contains(t, b, `message="score 0.600 is under 0.7. Passed: all is well."`)
}

// Text of a span stays text in any rendering of Markdown: no link, no element, no cell and no mention.
func TestMarkdownIsSafe(t *testing.T) {
	var rendered bytes.Buffer
	b := printed(t, Markdown, hostileRows(), Options{Gate: Gate{PassRate: 1}})
	require.NotContains(t, b, "@")
	require.NoError(t, goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert([]byte(b), &rendered))
	text := rendered.String()
	for _, no := range []string{"<script", "<a ", "<em", "</testcase", "\x1b", "\u202e"} {
		require.NotContains(t, text, no)
	}
	require.Equal(t, 3, strings.Count(text, "<table>"), "by expectation, what did not pass, and the rest")
	for line := range strings.Lines(text) {
		require.NotContains(t, line, "| ", "no cell was cut")
	}
	// Raw HTML, which services let through in part, is our own.
	raw := strings.NewReplacer("<code>", "", "</code>", "", "<details>", "", "</details>", "", "<summary>", "", "</summary>", "").Replace(b)
	require.NotContains(t, raw, "<")
}

// Names in JSON hide nothing, and load as they were.
func TestJSONIsSafe(t *testing.T) {
	row := hostileRows()[0]
	row.Agent, row.Calls[0].Name = "support\u202e", "\u2066\u061crefund\u200b\x7f"
	b := printed(t, JSON, []Row{row}, Options{})
	for _, r := range b {
		require.True(t, r == '\n' || unicode.IsGraphic(r), "%q is in %s", r, b)
	}
	var back Row
	require.NoError(t, json.Unmarshal([]byte(b), &back))
	require.Equal(t, row.Agent, back.Agent)
	require.Equal(t, row.Calls[0].Name, back.Calls[0].Name)
}

func TestMarkdownSums(t *testing.T) {
	good, bad := scored(1, 1, true), scored(2, 0.5, false)
	good.Expectation, bad.Expectation = "refund", "refund"
	b := printed(t, Markdown, []Row{good, bad}, Options{Gate: Gate{PassRate: 1}})
	require.Contains(t, b, "### Tool correctness: 1 of 2 judged runs passed\n")
	require.Contains(t, b, "| <code>refund</code> | 2 | 1 | 1 | 0 | 0.750 |\n")
	require.Contains(t, b, "<details><summary>1 other verdict</summary>")
	require.Contains(t, printed(t, Markdown, slices.Repeat([]Row{bad}, 300), Options{Gate: Gate{PassRate: 1}}), "\nand 200 more\n")
}

// Text of a span stays text in the page: it begins no element and no script, and the policy forbids other scripts.
func TestHTMLIsSafe(t *testing.T) {
	page := printed(t, HTML, hostileRows(), Options{Gate: Gate{PassRate: 1}})
	for _, no := range []string{"</testcase", "\x1b", "\u202e", "&<script", "http://y\"", "src=", "url(", "@import"} {
		require.NotContains(t, page, no)
	}
	require.Equal(t, 2, strings.Count(page, "<script"), "the data and the script")
	require.Equal(t, 2, strings.Count(page, "</script"))
	hash := sha256.Sum256([]byte(pageScript))
	policy := "script-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"
	require.Contains(t, html.UnescapeString(page), policy)
	require.Contains(t, page, "default-src 'none'")
	require.Contains(t, page, pageScript, "as it was hashed")
}

// An address has only the ids of a run.
func TestHTMLLinks(t *testing.T) {
	row := hostileRows()[0]
	b := printed(t, HTML, []Row{row}, Options{TraceURL: "https://x/trace/{trace}?span={span}"})
	require.Contains(t, b, `"URL":"https://x/trace/`+row.TraceID+`?span=`+row.SpanID+`"`)
	other := row
	other.SpanID, other.Run = "", 7
	require.NotEqual(t, row.anchor(), other.anchor(), "each run has an address")
}
