package report

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// places say where runs are, in a few words.
type places struct {
	file map[string]string
	runs map[string]int // of each trace
}

// placesOf finds the words that distinguish files, and traces with several runs.
func placesOf(rows []Row) places {
	p := places{runs: map[string]int{}}
	files := map[string]bool{}
	for run := range runs(rows) {
		files[run[0].File] = true
		p.runs[run[0].TraceID]++
	}
	p.file = shortFiles(slices.Collect(maps.Keys(files)))
	return p
}

// of is the file of a run and the beginning of its trace ID, as git shows ids. If the trace has other runs, that of its span ID follows.
func (p places) of(r *Row) string {
	text := escape(p.file[r.File]) + " " + r.TraceID[:min(8, len(r.TraceID))]
	if p.runs[r.TraceID] > 1 && r.SpanID != "" {
		text += "/" + r.SpanID[:min(4, len(r.SpanID))]
	}
	return strings.TrimSpace(text)
}

// shortFiles gives each file its name, with its folder if another file has the same name. Standard input has none.
func shortFiles(files []string) map[string]string {
	of := map[string]int{}
	for _, f := range files {
		of[filepath.Base(f)]++
	}
	short := make(map[string]string, len(files))
	for _, f := range files {
		short[f] = filepath.ToSlash(f)
		if base := filepath.Base(f); of[base] == 1 {
			short[f] = base
		}
	}
	return short
}
