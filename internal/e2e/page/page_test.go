//go:build browser

// Package page opens the command's HTML report in a real browser, headless. `make e2e WITH=report` runs
// its tests: they have the build tag browser, because they need Chromium.
package page

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
)

// demo is the report on the recorded traces, as the command's own tests hold it.
const demo = "../../../cmd/toolcorrectness/testdata/demo.html"

// hostile is text that would be mark-up or a script.
const hostile = `</script><img src=x onerror="document.title='owned'"><b>{{.}}</b>`

// browser is a tab of a browser of its own.
func browser(t *testing.T) context.Context {
	t.Helper()
	binary := ""
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			binary = path
			break
		}
	}
	if binary == "" {
		t.Fatal("no Chromium: make e2e WITH=report installs it, or CHROMIUM names it")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(binary), chromedp.NoSandbox, chromedp.WindowSize(1400, 1000))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	chromedp.ListenTarget(ctx, func(event any) {
		if e, ok := event.(*runtime.EventExceptionThrown); ok {
			t.Errorf("the page's script failed: %s", e.ExceptionDetails.Error())
		}
	})
	return ctx
}

func do(t *testing.T, ctx context.Context, actions ...chromedp.Action) {
	t.Helper()
	require.NoError(t, chromedp.Run(ctx, actions...))
}

// get evaluates an expression in the page.
func get[T any](t *testing.T, ctx context.Context, expression string) (v T) {
	t.Helper()
	do(t, ctx, chromedp.Evaluate(expression, &v))
	return v
}

// wait returns when an expression is true.
func wait(t *testing.T, ctx context.Context, expression string) {
	t.Helper()
	require.Eventually(t, func() bool { return get[bool](t, ctx, expression) }, 20*time.Second, 10*time.Millisecond, expression)
}

// click is a click on the first element of a selector.
func click(selector string) chromedp.Action {
	return chromedp.Evaluate(`document.querySelector("`+selector+`").click()`, nil)
}

func address(t *testing.T, file string) string {
	t.Helper()
	path, err := filepath.Abs(file)
	require.NoError(t, err)
	return "file://" + path
}

// write makes a report of rows.
func write(t *testing.T, rows []report.Row, o report.Options) string {
	t.Helper()
	var b strings.Builder
	o.Gate.PassRate = 1
	require.NoError(t, report.HTML(&b, rows, o))
	name := filepath.Join(t.TempDir(), "report.html")
	require.NoError(t, os.WriteFile(name, []byte(b.String()), 0o600))
	return name
}

const (
	rowCount = `document.querySelectorAll('.run').length`
	firstRow = `document.querySelector('.run').innerText`
)

func TestSortFilterAndOpen(t *testing.T) {
	ctx := browser(t)
	do(t, ctx, chromedp.Navigate(address(t, demo)))
	const sorted = `document.querySelector('th[data-key=tool_correctness]').getAttribute('aria-sort')`
	do(t, ctx, click(`th[data-key=tool_correctness] button`), click(`th[data-key=tool_correctness] button`))
	require.Equal(t, "descending", get[string](t, ctx, sorted))
	require.Contains(t, get[string](t, ctx, firstRow), "1.00")
	require.Equal(t, 10, get[int](t, ctx, rowCount))
	do(t, ctx, click(`th[data-key=tool_correctness] button`))
	require.Empty(t, get[string](t, ctx, sorted), "the third click brings the groups back")
	require.Contains(t, get[string](t, ctx, firstRow), "A forbidden call was made", "what went wrong comes first")
	do(t, ctx, chromedp.SetValue("#Outcome", "failed"), chromedp.Evaluate(`document.getElementById('Outcome').dispatchEvent(new Event('input'))`, nil))
	require.Equal(t, 5, get[int](t, ctx, rowCount))
	do(t, ctx, chromedp.Focus("#q"), chromedp.KeyEvent("convert_currency order"))
	require.Equal(t, 1, get[int](t, ctx, rowCount), "every word has to be there")
	require.Equal(t, "1 of 10 runs", get[string](t, ctx, `document.getElementById('shown').textContent`))
	do(t, ctx, click(".open"))
	details := get[string](t, ctx, `document.querySelector('.detail').innerText`)
	for _, want := range []string{"d5d643a70475dcb451f81c3c07256972", "922f10c62856fe73", "2.\u00a0convert_currency out of order"} {
		require.Contains(t, details, want)
	}
	require.Equal(t, 2, get[int](t, ctx, `document.querySelectorAll('.detail svg line').length`), "a line for each pair")
	require.NotContains(t, details, "Paris", "values are private")
}

// A link opens its run, whatever is filtered.
func TestLink(t *testing.T) {
	ctx := browser(t)
	do(t, ctx, chromedp.Navigate(address(t, demo)))
	require.Equal(t, 5, get[int](t, ctx, rowCount), "runs that passed are folded")
	do(t, ctx, click(".fold"))
	require.Equal(t, 10, get[int](t, ctx, rowCount))
	id := get[string](t, ctx, `document.querySelectorAll('.run')[6].id`)
	do(t, ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(address(t, demo)+"#"+id))
	wait(t, ctx, `document.querySelector('.detail') !== null`)
	require.Equal(t, id, get[string](t, ctx, `document.querySelector('.detail').previousSibling.id`))
	require.Equal(t, "true", get[string](t, ctx, `document.activeElement.getAttribute('aria-expanded')`), "and it has the focus")
}

// Everything can be reached and done without a mouse.
func TestKeyboard(t *testing.T) {
	ctx := browser(t)
	do(t, ctx, chromedp.Navigate(address(t, demo)), chromedp.Focus("#q"), chromedp.KeyEvent("strands"))
	require.Equal(t, 1, get[int](t, ctx, rowCount))
	for range 40 {
		if get[bool](t, ctx, `document.activeElement.classList.contains('open')`) {
			break
		}
		do(t, ctx, chromedp.KeyEvent(kb.Tab))
	}
	do(t, ctx, chromedp.KeyEvent(kb.Enter))
	require.Equal(t, 1, get[int](t, ctx, `document.querySelectorAll('.detail').length`))
	do(t, ctx, chromedp.KeyEvent(kb.Enter))
	require.Equal(t, 0, get[int](t, ctx, `document.querySelectorAll('.detail').length`))
}

// Columns are sorted by the keyboard, too, and the page says which way.
func TestSortByKeyboard(t *testing.T) {
	ctx := browser(t)
	do(t, ctx, chromedp.Navigate(address(t, demo)), chromedp.Focus("th[data-key=took] button"), chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(" "))
	require.Equal(t, "descending", get[string](t, ctx, `document.querySelector('th[data-key=took]').getAttribute('aria-sort')`))
	require.Contains(t, get[string](t, ctx, firstRow), "strands-error-then-retry", "it took longest")
	require.True(t, get[bool](t, ctx, `document.activeElement.closest('th') !== null`), "and the button still has the focus")
}

// On paper there is no form, and an open run stays open.
func TestPrint(t *testing.T) {
	ctx := browser(t)
	var paper []byte
	do(t, ctx, chromedp.Navigate(address(t, demo)), click(".open"), emulation.SetEmulatedMedia().WithMedia("print"))
	require.Equal(t, "none", get[string](t, ctx, `getComputedStyle(document.getElementById('filters')).display`))
	require.Positive(t, get[int](t, ctx, `document.querySelector('.detail').offsetHeight`))
	require.LessOrEqual(t, get[int](t, ctx, `document.documentElement.scrollWidth - innerWidth`), 0, "nothing is cut off")
	do(t, ctx, chromedp.ActionFunc(func(ctx context.Context) (err error) {
		paper, _, err = cdp.PrintToPDF().Do(ctx)
		return err
	}))
	require.Greater(t, len(paper), 10_000)
	keep(t, "print.pdf", paper)
}

// keep leaves a file where PAGE_SHOTS names a folder, for people to look at.
func keep(t *testing.T, name string, content []byte) {
	t.Helper()
	if folder := os.Getenv("PAGE_SHOTS"); folder != "" {
		require.NoError(t, os.MkdirAll(folder, 0o750))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), content, 0o600))
	}
}

// The page asks for nothing: no network, and no other file.
func TestSelfContained(t *testing.T) {
	ctx := browser(t)
	var asked []string
	chromedp.ListenTarget(ctx, func(event any) {
		if e, ok := event.(*network.EventRequestWillBeSent); ok {
			asked = append(asked, e.Request.URL)
		}
	})
	do(t, ctx, network.Enable(), chromedp.Navigate(address(t, demo)), click(".open"))
	require.Equal(t, []string{address(t, demo)}, asked)
}

// axe returns what axe finds in the page.
func axe(t *testing.T, ctx context.Context) (found []string) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "axe.min.js.gz"))
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	script, err := io.ReadAll(z)
	require.NoError(t, err)
	do(t, ctx, chromedp.Evaluate(string(script), nil), chromedp.Evaluate(`axe.run().then((r) => r.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.target + ' ' + n.failureSummary).join('; ')))`, &found,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	return found
}

// On a screen and on a phone, in both themes: nothing is wider than the page, axe finds nothing, and one row a run says what went wrong.
func TestSuite(t *testing.T) {
	page := address(t, suite(t))
	for _, width := range []int64{1400, 390} {
		for _, theme := range []string{"light", "dark"} {
			t.Run(fmt.Sprintf("%d-%s", width, theme), func(t *testing.T) {
				ctx := browser(t)
				do(t, ctx, emulation.SetDeviceMetricsOverride(width, 900, 1, width < 500),
					emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}), chromedp.Navigate(page))
				require.Equal(t, 16, get[int](t, ctx, rowCount), "runs that passed are folded")
				shot(t, ctx, "first", chromedp.CaptureScreenshot)
				shot(t, ctx, "closed", whole)
				do(t, ctx, click("tbody:nth-of-type(2) .open"))
				shot(t, ctx, "one", chromedp.CaptureScreenshot) // docs/report.png is this one
				do(t, ctx, click("tbody:nth-of-type(2) .open"))
				do(t, ctx, chromedp.Evaluate(`document.querySelectorAll('.group + .run .open').forEach((b) => b.click())`, nil))
				shot(t, ctx, "open", whole)
				require.EqualValues(t, width, get[int](t, ctx, `document.documentElement.scrollWidth`), "nothing is wider than the page")
				require.Empty(t, axe(t, ctx))
			})
		}
	}
}

// What the page says went wrong is what testdata/suite.txt made go wrong, and stands where it is.
func TestSuiteSaysWhatWentWrong(t *testing.T) {
	ctx := browser(t)
	do(t, ctx, chromedp.Navigate(address(t, suite(t))), chromedp.Evaluate(`document.querySelectorAll('.open').forEach((b) => b.click())`, nil))
	require.Equal(t, []string{
		"Forbidden call 1 run: delete_account", "Too many calls 3 runs: get_tracking, update_address, search_products", "Missing call 3 runs: refund_order, confirm_with_user, send_email",
		"Wrong arguments 3 runs: refund_order, update_address, send_email", "Condition not met 2 runs: refund_order, get_order", "Out of order 2 runs: search_orders, cancel_subscription",
		"Unexpected call 1 run: get_tracking", "Not scored 1 run", "Passed 23 runs", "Without an expectation 1 run",
	}, get[[]string](t, ctx, `[...document.querySelectorAll('.group')].map((g) => g.innerText.trim())`))
	drawn := get[[]string](t, ctx, `[...document.querySelectorAll('[aria-label=Called] .bad')].map((i) => i.innerText.replace(/\s+/g, ' '))`)
	for _, want := range []string{
		"4. delete_account forbidden", "3. get_tracking unexpected 4 calls of get_*, at most 2 are allowed", `2. refund_order mismatched currency: "USD" instead of "EUR"`,
		`2. refund_order mismatched needs arguments["amount"] <= 100; arguments["amount"] is 640`,
		`1. get_order mismatched needs arguments["order_id"] == run.attributes["order.id"]; arguments["order_id"] is "4732", run.attributes["order.id"] is "4723"`,
		"2. search_orders out of order must come before refund_order",
	} {
		require.Contains(t, drawn, want)
	}
	require.Equal(t, "40 runs: 15 failed, 1 not scored, 23 passed, 1 without an expectation", get[string](t, ctx, `document.getElementById('title').textContent`))
	row := get[string](t, ctx, `[...document.querySelectorAll('.run')].find((r) => r.innerText.includes('4e074085')).innerText`)
	for _, want := range []string{"refund", "agent order_desk · service shop-assistant · trace\u00a04e074085", "✓ 1.00", "✗ 0.50 needs 0.8", "09:04:51"} {
		require.Contains(t, row, want)
	}
}

// whole is a picture of the whole page.
func whole(picture *[]byte) chromedp.Action { return chromedp.FullScreenshot(picture, 100) }

// shot keeps a picture.
func shot[A chromedp.Action](t *testing.T, ctx context.Context, name string, take func(*[]byte) A) {
	t.Helper()
	var picture []byte
	do(t, ctx, take(&picture))
	keep(t, strings.ReplaceAll(t.Name(), "/", "-")+"-"+name+".png", picture)
}

// What spans say is text.
func TestHostileText(t *testing.T) {
	row := rowsOf(1)[0]
	value, err := json.Marshal(hostile)
	require.NoError(t, err)
	row.Agent, row.Expectation, row.Metric, row.Reason, row.File, row.Conversation = hostile, hostile, hostile, hostile, hostile, hostile
	row.Calls = []report.Call{{Name: hostile, Arguments: value, Output: value}}
	row.Steps = []report.Step{{Tool: hostile, Class: "mismatched", Faults: []string{hostile}, Arguments: value}}
	ctx := browser(t)
	do(t, ctx, chromedp.Navigate(address(t, write(t, []report.Row{row}, report.Options{TraceURL: "https://backend/trace/{trace}?span={span}"}))), click(".open"))
	require.Contains(t, get[string](t, ctx, `document.title`), "Tool correctness: ")
	require.Zero(t, get[int](t, ctx, `document.querySelectorAll('img, .group b b').length`))
	require.Contains(t, get[string](t, ctx, `document.querySelector('.detail').innerText`), hostile)
	require.Equal(t, "https://backend/trace/"+row.TraceID+"?span="+row.SpanID, get[string](t, ctx, `document.querySelector('.detail a[rel=noreferrer]').href`))
}

// Ten thousand runs open in three seconds, and are filtered without a wait.
func TestManyRuns(t *testing.T) {
	name := write(t, rowsOf(10_000), report.Options{})
	ctx := browser(t)
	do(t, ctx, chromedp.Navigate("about:blank"))
	began := time.Now()
	do(t, ctx, chromedp.Navigate(address(t, name)))
	wait(t, ctx, `document.querySelector('.open').offsetHeight > 0`)
	opened := time.Since(began)
	began = time.Now()
	do(t, ctx, chromedp.Focus("#q"), chromedp.KeyEvent("tool-9999-1"))
	require.Equal(t, 1, get[int](t, ctx, rowCount))
	t.Logf("opened after %s, filtered after %s", opened, time.Since(began))
	require.Less(t, opened, 3*time.Second)
}

// rowsOf returns n runs of four calls.
func rowsOf(n int) []report.Row {
	rows := make([]report.Row, n)
	score := 0.5
	for i := range rows {
		r := report.Row{
			TraceID: fmt.Sprintf("%032x", i+1), SpanID: fmt.Sprintf("%016x", i+1), Agent: fmt.Sprint("agent-", i%20), Expectation: fmt.Sprint("expectation-", i%7),
			Metric: "tool_correctness", Status: "scored", Score: &score, Threshold: 0.8, Reason: "Failed: missing refund_order. 1 of 2 expected calls matched.",
			Complete: true, ClosedBy: "anchor", File: "spans.jsonl", Run: i, Position: i, Start: 1_800_000_000_000_000_000, End: 1_800_000_001_000_000_000,
		}
		for j := range 4 {
			tool := fmt.Sprint("tool-", i, "-", j)
			r.Calls = append(r.Calls, report.Call{Name: tool, Status: "ok", Start: r.Start, End: r.End})
			r.Steps = append(r.Steps, report.Step{Tool: tool, Call: j, Class: "matched", Credit: 1})
		}
		rows[i] = r
	}
	return rows
}

// A live page has new runs by itself, unless somebody reads: then it says that there are some.
func TestLive(t *testing.T) {
	ctx := browser(t)
	var closed atomic.Int64
	more, ended := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/runs" {
			select {
			case <-more:
			case <-ended:
				panic(http.ErrAbortHandler)
			}
			fmt.Fprint(w, closed.Load())
			return
		}
		var rows []report.Row
		for i := range int(closed.Load()) {
			rows = append(rows, report.Row{Run: i, TraceID: fmt.Sprintf("%032d", i), Agent: "support", Status: report.NoExpectation})
		}
		assert.NoError(t, report.HTML(w, rows, report.Options{Live: &report.Live{Runs: len(rows), Address: "127.0.0.1:4318"}}))
	}))
	defer server.Close()
	another := func() {
		closed.Add(1)
		more <- struct{}{}
	}
	live := `document.getElementById('live').textContent`
	do(t, ctx, chromedp.Navigate(server.URL))
	require.Contains(t, get[string](t, ctx, live), "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318")
	another()
	wait(t, ctx, rowCount+` === 1`)
	require.Equal(t, "Live", get[string](t, ctx, live))
	do(t, ctx, click(".open"))
	another()
	wait(t, ctx, live+` === 'New runs: show them'`)
	require.Equal(t, 1, get[int](t, ctx, rowCount), "what is being read stays")
	do(t, ctx, click("#live a"))
	wait(t, ctx, rowCount+` === 2`)
	close(ended)
	wait(t, ctx, live+`.startsWith('Not live any more')`)
}
