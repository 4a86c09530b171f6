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
				if err := readDated(&reports[i], file); err != nil {
					return fmt.Errorf("%s: %w", file, err)
				}
			}
			return s.output(*output, func(w io.Writer) error { return report.Trend(w, reports, report.Gate{}) })
		}
	},
}

// readDated reads a report and its date.
func readDated(d *report.Dated, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	d.Name = filepath.Base(file)
	if d.Rows, err = report.ReadJSON(f); err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	d.Date(info.ModTime().UTC())
	return nil
}
