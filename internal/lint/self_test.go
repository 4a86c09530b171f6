package lint

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// The rules are only worth something if a breach is seen: each row breaks one, or stands just inside it.
func TestRulesSeeABreach(t *testing.T) {
	for _, tc := range []struct {
		claim  string
		name   string
		text   string
		check  func([]file) []string
		broken int
	}{
		{"scoring must not import pdata", "scoring/a.go", `import _ "` + collector + `/pdata/ptrace"`, forbiddenImports, 1},
		{"scoring may import fmt", "scoring/a.go", `import _ "fmt"`, forbiddenImports, 0},
		{"scoring must not open files", "scoring/sub/a.go", `import _ "os"`, forbiddenImports, 1},
		{"a dialect may import pdata and scoring", "internal/dialect/a.go", `import (_ "` + collector + `/pdata/ptrace"; _ "` + module + `/scoring")`, forbiddenImports, 0},
		{"a dialect must not import time", "internal/dialect/a.go", `import _ "time"`, forbiddenImports, 1},
		{"a dialect must not import agentrun", "internal/dialect/a.go", `import _ "` + module + `/internal/agentrun"`, forbiddenImports, 1},
		{"agentrun may import time", "internal/agentrun/a.go", `import _ "time"`, forbiddenImports, 0},
		{"agentrun must not lock", "internal/agentrun/a.go", `import _ "sync/atomic"`, unrestrictedImports, 1},
		{"the factory may import the collector's processor", "factory.go", `import _ "` + collector + `/processor"`, unrestrictedImports, 0},
		{"the configuration must not", "config.go", `import _ "` + collector + `/processor"`, unrestrictedImports, 1},
		{"the processor must not import the root", "processor/a.go", `import _ "` + module + `"`, unrestrictedImports, 1},
		{"scoring must not import the processor", "scoring/a.go", `import _ "` + module + `/processor"`, unrestrictedImports, 1},
		{"the processor may import packages below it", "processor/a.go", `import _ "` + module + `/processor/clock"`, unrestrictedImports, 0},
		{"the processor may start a goroutine", "processor/a.go", `func f() { go f() }`, unrestrictedCalls, 0},
		{"scoring must not", "scoring/a.go", `func f() { go f() }`, unrestrictedCalls, 1},
		{"a wait group starts one as well", "internal/agentrun/a.go", `func f(wg g) { wg.Go(f) }`, unrestrictedCalls, 1},
		{"the clock is seen under another name", "config.go", `import t "time"; var now = t.Now`, unrestrictedCalls, 1},
		{"durations are no clock", "config.go", `import "time"; var d = 5 * time.Second`, unrestrictedCalls, 0},
		{"a timer is waiting", "internal/agentrun/a.go", `import "time"; var c = time.After(1)`, unrestrictedCalls, 1},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			f, err := parse(tc.name, "package p\n"+tc.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := tc.check([]file{f}); len(got) != tc.broken {
				t.Errorf("found %d breaches %q, want %d", len(got), got, tc.broken)
			}
		})
	}
}

func TestASecondClockIsSeen(t *testing.T) {
	const text = "package p\nimport \"time\"\nvar now = time.Now"
	var files []file
	for _, name := range []string{"processor/clock.go", "processor/scan.go", "cmd/x/main.go"} {
		f, err := parse(name, text)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	if got := secondClocks(files); len(got) != 1 {
		t.Errorf("found %q, want one breach: two files of the processor read the clock", got)
	}
}

func TestALargePackageIsSeen(t *testing.T) {
	for _, tc := range []struct {
		claim string
		name  string
		lines int
		want  int
	}{
		{"a package without a row may have so many lines", "internal/x/a.go", maxLines, 0},
		{"and no more", "internal/x/a.go", maxLines + 1, 1},
		{"a package with a row may have more", sizes[0].pkg + "/a.go", sizes[0].most, 0},
		{"up to its own number", sizes[0].pkg + "/a.go", sizes[0].most + 1, 1},
		{"a row that is not needed is a breach", sizes[0].pkg + "/a.go", maxLines, 1},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			f, err := parse(tc.name, "package p"+strings.Repeat("\n", tc.lines))
			if err != nil {
				t.Fatal(err)
			}
			got := largePackages([]file{f})
			got = slices.DeleteFunc(got, func(b string) bool { return !strings.HasPrefix(b, path.Dir(tc.name)+" ") })
			if len(got) != tc.want {
				t.Errorf("found %q, want %d breaches", got, tc.want)
			}
		})
	}
}
