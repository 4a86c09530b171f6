package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/benchmarks/workload"
)

// cases is how many cases the dataset has.
const cases = 10_000

// writeFiles makes a folder with what the contenders with files read, and returns what removes it.
func (o *options) writeFiles() (remove func() error, err error) {
	if o.files, err = os.MkdirTemp(o.dir, "options"); err != nil {
		return nil, err
	}
	var lines strings.Builder
	tools := `"` + strings.Join(workload.Tools(workload.Desk), `", "`) + `"`
	for i := range cases {
		fmt.Fprintf(&lines, "{\"key\": \"case %d\", \"tools\": [%s]}\n", i, tools)
	}
	fmt.Fprintf(&lines, "{\"key\": %q, \"tools\": [%s]}\n", workload.Desk, tools)
	return func() error { return os.RemoveAll(o.files) }, errors.Join(
		os.WriteFile(o.file("desk.yaml"), fmt.Appendf(nil, "- {name: desk, tools: [%s]}\n", tools), 0o600),
		os.WriteFile(o.file("cases.jsonl"), []byte(lines.String()), 0o600),
	)
}

func (o *options) file(name string) string { return filepath.Join(o.files, name) }
