package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
)

var trendCommand = subcommand{
	name: "trend", short: "show pass rates over several reports", usage: "[-o FILE] REPORT...",
	long: `Show the pass rates of several reports, by case and by expectation, as one HTML page without network.
REPORT is what -format json wrote. Its date is that of its last run.`,
	example: `A verdict passed as its report says; -fail-under is not asked again.

example:
  toolcorrectness trend -o trend.html reports/*.json`,
	prepare: func(f *flag.FlagSet) action {
		output := f.String("o", "", "write to `FILE` and not to standard output")
		return func(_ context.Context, s streams, files []string) error {
			if len(files) == 0 {
				return errors.New("no reports: name files that -format json wrote")
			}
			reports := make([]report.Dated, len(files))
			for i, file := range files {
				rows, err := readReport(file)
				if err != nil {
					return err
				}
				reports[i] = report.Dated{Name: filepath.Base(file), Rows: rows}
			}
			return s.output(*output, func(w io.Writer) error { return report.Trend(w, reports) })
		}
	},
}

// readReport reads what -format json wrote.
func readReport(file string) ([]report.Row, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := report.ReadJSON(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return rows, nil
}
