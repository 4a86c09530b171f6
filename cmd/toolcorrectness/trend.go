package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
)

var trendCommand = subcommand{
	name: "trend", short: "show pass rates over several reports", usage: "[-o FILE] REPORT...",
	long: `Show the pass rates of several reports, by case and by expectation, as one HTML page without network.
REPORT is what -format json wrote. Its date is that of its last run, or else of the file.`,
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
				rows, written, err := readReport(file)
				if err != nil {
					return err
				}
				reports[i] = report.Dated{Name: filepath.Base(file), Rows: rows}
				reports[i].Date(written)
			}
			return s.output(*output, func(w io.Writer) error { return report.Trend(w, reports, report.Gate{}) })
		}
	},
}

// readReport reads what -format json wrote, and when it did.
func readReport(file string) (rows []report.Row, written time.Time, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		rows, err = report.ReadJSON(f)
	}
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("%s: %w", file, err)
	}
	return rows, info.ModTime().UTC(), nil
}
