package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A script has results for commands by their beginning. The first row that fits counts. Other commands succeed and print
// nothing.
type script struct {
	answers []answer
	ran     []string
}

type answer struct {
	command, prints string
	fails           bool
}

func (s *script) run(args ...string) (string, error) {
	command := strings.Join(args, " ")
	s.ran = append(s.ran, command)
	for _, a := range s.answers {
		if strings.HasPrefix(command, a.command) {
			if a.fails {
				return a.prints, &commandError{command, a.prints}
			}
			return a.prints, nil
		}
	}
	return "", nil
}

const (
	goMod = `{"Require": [
		{"Path": "go.opentelemetry.io/collector/pdata", "Version": "v1.64.0"},
		{"Path": "go.opentelemetry.io/collector/consumer/consumertest", "Version": "v0.158.0"},
		{"Path": "github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl", "Version": "v0.158.0"},
		{"Path": "go.opentelemetry.io/collector/pipeline", "Version": "v1.64.0", "Indirect": true},
		{"Path": "go.uber.org/zap", "Version": "v1.28.0"}]}`
	noSuchModule = `{"Error": "404"}`
	ottl         = contrib + "pkg/ottl"
)

func TestModulesTakeTheVersionsOfTheRelease(t *testing.T) {
	const edited = "go mod edit -droprequire=go.opentelemetry.io/collector/pipeline -require=go.opentelemetry.io/collector/pdata@"
	for _, tc := range []struct {
		name    string
		release release
		answers []answer
		want    string // the edit of go.mod
		fails   string
		reason  string
	}{
		{
			"an older release", 155, nil,
			edited + "v1.61.0 -require=go.opentelemetry.io/collector/consumer/consumertest@v0.155.0 -require=" + ottl + "@v0.155.0", "",
			"stable modules have v1, and what only other modules need is left to them; zap is not the Collector's",
		},
		{
			"a module that has become stable", 170,
			[]answer{{"go mod download -json go.opentelemetry.io/collector/consumer/consumertest@v0", noSuchModule, true}},
			edited + "v1.76.0 -require=go.opentelemetry.io/collector/consumer/consumertest@v1.76.0 -require=" + ottl + "@v0.170.0", "",
			"it has no version v0 any more",
		},
		{
			"a module with versions of its own", 164,
			[]answer{
				{"go mod download -json " + ottl + "@v0.164.0", noSuchModule, true},
				{"go mod download -json " + ottl + "@v1.70.0", noSuchModule, true},
				{"go list -m -versions " + ottl, ottl + " v0.163.0 v1.2.0 v1.3.0 v1.3.1 v1.4.0", false},
				{"go mod download -json " + ottl + "@v1.4.0", `{"GoMod": "fourth"}`, false},
				{"go mod edit -json fourth", `{"Require": [{"Path": "go.opentelemetry.io/collector/component", "Version": "v1.71.0"}]}`, false},
				{"go mod download -json " + ottl + "@v1.3.1", noSuchModule, true},
				{"go mod download -json " + ottl + "@v1.3.0", `{"GoMod": "third"}`, false},
				{"go mod edit -json third", `{"Require": [{"Path": "go.opentelemetry.io/collector/component", "Version": "v1.70.0"}]}`, false},
			},
			edited + "v1.70.0 -require=go.opentelemetry.io/collector/consumer/consumertest@v0.164.0 -require=" + ottl + "@v1.3.0", "",
			"v1.4.0 is of the next release, and v1.3.1 cannot be had",
		},
		{
			"modules that cannot be had", 165,
			[]answer{
				{"go mod download -json go.opentelemetry.io/collector/pdata", noSuchModule, true},
				{"go mod download -json " + ottl, noSuchModule, true},
				{"go list -m -versions", "", true},
			},
			"", "the module proxy does not have pdata, pkg/ottl", "all are named at once, and go.mod stays as it is",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := &script{answers: append(tc.answers,
				answer{"go mod edit -json", goMod, false}, answer{"go mod download", `{"GoMod": "x"}`, false})}
			err := resolve(s.run, tc.release)
			if tc.fails != "" {
				if err == nil || err.Error() != tc.fails || slices.Contains(s.ran, "go mod tidy") {
					t.Errorf("got %v after %q, want %q: %s", err, s.ran, tc.fails, tc.reason)
				}
				return
			}
			if !slices.Contains(s.ran, tc.want) || !slices.Contains(s.ran, "go mod tidy") {
				t.Errorf("ran %q, want among them %q: %s", s.ran, tc.want, tc.reason)
			}
		})
	}
}

// Otherwise a row would be of a release that does not exist.
func TestAReleaseThatIsMixedWithAnotherDoesNotResolve(t *testing.T) {
	const pdata = core + "pdata"
	for _, tc := range []struct{ wants, has, fails, reason string }{
		{"v1.64.0", "v1.64.0", "", "it is as asked for"},
		{"v1.64.0", "v1.64.2", "", "a patch is of the same release"},
		{"v0.158.0", "v0.158.1", "", "likewise where nothing is promised"},
		{"v1.64.0", "v1.65.0", pdata + " is raised from v1.64.0 to v1.65.0", "it is of the next release"},
		{"v0.158.0", "v0.1580.0", pdata + " is raised from v0.158.0 to v0.1580.0", "it only begins alike"},
	} {
		s := &script{answers: []answer{{"go mod edit -json", `{"Require": [{"Path": "` + pdata + `", "Version": "` + tc.has + `"}]}`, false}}}
		err := unmixed(s.run, 158, []requirement{{Path: pdata, Version: tc.wants}, {Path: core + "dropped", Version: "v1.64.0"}})
		if got := fmt.Sprint(err); got != cmp.Or(tc.fails, "<nil>") {
			t.Errorf("got %v, want %q: %s", got, tc.fails, tc.reason)
		}
	}
}

func TestAFailingStepEndsTheAttempt(t *testing.T) {
	listing := []answer{{"go mod edit -json", `{}`, false}}
	for _, tc := range []struct {
		name    string
		release release
		fails   string
		passed  int
		broken  bool
		reason  string
	}{
		{"nothing fails", 158, "-", 4, false, "all four steps were done"},
		{"it cannot be had", 158, "go mod tidy", 0, false, "the module proxy decides what can be had"},
		{"it does not compile", 158, "go build ./...", 1, true, "the release needs a change"},
		{"it does not pass vet", 164, "go vet ./...", 2, true, "likewise"},
		{"a test fails", 161, "go test -short", 3, true, "it behaves in another way"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := &script{answers: append([]answer{{tc.fails, "x.go:1: no", true}}, listing...)}
			got := attempt(s.run, tc.release, "1.26.8")
			if got.passed != tc.passed || got.broken() != tc.broken || (got.err != nil) != (tc.passed < 4) {
				t.Errorf("passed %d steps, broken %v, error %v: %s", got.passed, got.broken(), got.err, tc.reason)
			}
			if last := s.ran[len(s.ran)-1]; got.err != nil && !strings.HasPrefix(last, tc.fails) {
				t.Errorf("the last command is %q, want %q", last, tc.fails)
			}
		})
	}
}

func TestTableSaysWhatFailedAndWhy(t *testing.T) {
	want := `| Collector | Go | resolves | compiles | vet | tests |
|---|---|---|---|---|---|
| v0.155.0 | 1.26.8 | no | – | – | – |
| v0.158.0 | 1.27.4 | yes | yes | yes | yes |
| v0.164.0 | 1.27.4 | yes | yes | yes | no |

v0.155.0 with Go 1.26.8: the module proxy does not have pkg/golden

v0.164.0 with Go 1.27.4: go test: --- FAIL: TestA (0.1s); --- FAIL: TestB (0s); --- FAIL: TestC (0s)
`
	output := "ok\n--- FAIL: TestA (0.1s)\n    --- FAIL: TestA/x (0.1s)\n--- FAIL: TestB (0s)\n--- FAIL: TestC (0s)\n--- FAIL: TestD (0s)\nFAIL\n"
	got := table([]row{
		{155, "1.26.8", 0, errors.New("the module proxy does not have pkg/golden")},
		{158, "1.27.4", 4, nil},
		{164, "1.27.4", 3, &commandError{"go test", output}},
	})
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestReleasesUnlessNamedAreTheLastOnes(t *testing.T) {
	s := &script{answers: []answer{{"go list -m -versions", core + "component v0.100.0 v1.9.0 v1.63.0 v1.62.1 v1.62.0", false}}}
	got, err := releasesOf(s.run, "")
	if want := []release{154, 155, 156, 157}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v and %v, want %v", got, err, want)
	}
	got, err = releasesOf(s.run, "v0.164.0,v0.155.0")
	if want := []release{164, 155}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v and %v, want %v", got, err, want)
	}
	for _, wrong := range []string{"164", "v1.70.0", "v0.164.1", "v0.94.0", "v0.1640.0x"} {
		if got, err := releasesOf(s.run, wrong); err == nil {
			t.Errorf("%s is read as %v", wrong, got)
		}
	}
	if _, err := releasesOf((&script{}).run, ""); err == nil {
		t.Error("an empty list is no list of releases")
	}
}

func TestVersionsOfGoAreTheNewestOfTwoMinorVersions(t *testing.T) {
	const listed = `golang.org/toolchain v0.0.1-go1.9.7.linux-amd64 v0.0.1-go1.26.10.linux-amd64 v0.0.1-go1.26.9.linux-amd64
		v0.0.1-go1.27.4.linux-amd64 v0.0.1-go1.27.5.darwin-arm64 v0.0.1-go1.28rc1.linux-amd64 v0.0.1-go1.25.14.linux-amd64`
	s := &script{answers: []answer{
		{"go env GOOS GOARCH", "linux\namd64\n", false},
		{"go list -m -versions golang.org/toolchain", listed, false},
	}}
	got, err := goVersionsOf(s.run, "")
	if want := []string{"1.27.4", "1.26.10"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v and %v, want %v", got, err, want)
	}
	s.answers = append(s.answers, answer{"env GOTOOLCHAIN=go1.2", "", true}, answer{"env GOTOOLCHAIN=local", "go1.26.8\n", false})
	got, err = goVersionsOf(s.run, "")
	if want := []string{"1.27.4", "1.26.8"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v and %v, want %v: the Go at hand stands in for one of its minor version that cannot be had", got, err, want)
	}
	got, err = goVersionsOf(s.run, "1.25.14")
	if want := []string{"1.25.14"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v and %v, want %v", got, err, want)
	}
}

func TestOnlyTheModuleProxyIsAsked(t *testing.T) {
	for proxy, want := range map[string]string{
		"https://proxy.example,direct": "https://proxy.example", "https://a.example|direct": "https://a.example", "https://a.example,off": "https://a.example,off",
	} {
		if got := proxyOnly(proxy); got != want {
			t.Errorf("%s becomes %s, want %s", proxy, got, want)
		}
	}
}

// What is tried is the checkout as it is: with what is not committed, and without what git ignores.
func TestCopyIsOfTheCheckoutAsItIs(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"a/b.go": "b", "gone.go": "", ".gitignore": "built\n", "built": "x"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(from, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(from, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := shell(t.Context(), from, "")
	for _, args := range [][]string{{"git", "init", "-q"}, {"git", "add", "gone.go"}, {"rm", "gone.go"}} {
		if _, err := run(args...); err != nil {
			t.Fatal(err)
		}
	}
	if err := copyCheckout(run, from, to); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := filepath.WalkDir(to, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			text, _ := os.ReadFile(path)
			name, _ := filepath.Rel(to, path)
			got = append(got, name+": "+string(text))
		}
		return err
	})
	if want := []string{".gitignore: built\n", "a/b.go: b"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q and %v, want %q", got, err, want)
	}
}

func TestCommandErrorsTellWhatIsWrong(t *testing.T) {
	_, err := shell(t.Context(), t.TempDir(), "")("go", "build", "./x.go")
	if _, failed := errors.AsType[*commandError](err); !failed || !strings.HasPrefix(err.Error(), "go build ./x.go: go: ") {
		t.Errorf("got %v", err)
	}
	for output, want := range map[string]string{
		"# module\na/b.go:1:2: no such thing\nmore\n":       "go x: a/b.go:1:2: no such thing",
		"go: downloading a v1\ngo: b@v1: no such version\n": "go x: go: b@v1: no such version",
		"vet: a.go:1: wrong\n":                              "go x: vet: a.go:1: wrong",
		"something\nelse\n":                                 "go x: else",
		"":                                                  "go x: ",
	} {
		if got := (&commandError{"go x", output}).Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
