// Command big has the command score an input of any size, made of the recorded traces with other ids, and says what that takes.
// It fails if the command needs more memory than it may.
//
//	go run ./big -gigabytes 10
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

func main() {
	var b big
	flag.Float64Var(&b.gigabytes, "gigabytes", 1, "how much input, in GB of 1e9 bytes")
	flag.StringVar(&b.format, "format", "json", "the format of the report")
	flag.StringVar(&b.traces, "traces", "../../testdata/traces/*.jsonl", "the recorded traces")
	flag.StringVar(&b.config, "config", "../../examples/demo.yaml", "the configuration")
	flag.IntVar(&b.limit, "limit", 300, "how much memory the verdicts of a GB of input may take, in MB of 1e6 bytes")
	flag.Parse()
	if err := b.run(); err != nil {
		fmt.Fprintln(os.Stderr, "big:", err)
		os.Exit(1)
	}
}

type big struct {
	gigabytes              float64
	format, traces, config string
	limit                  int
}

func (b big) run() error {
	templates, err := read(b.traces)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "toolcorrectness-big-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	binary := filepath.Join(folder, "toolcorrectness")
	build := exec.Command("go", "build", "-o", binary, "./cmd/toolcorrectness")
	build.Dir, build.Stderr = "../..", os.Stderr
	if err := build.Run(); err != nil {
		return err
	}
	c := exec.Command(binary, "-config", b.config, "-format", b.format, "-values", "-o", filepath.Join(folder, "report"), "-pass-rate", "0", "-")
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := c.Start(); err != nil {
		return err
	}
	copies, written, err := write(in, templates, int64(b.gigabytes*1e9))
	if err := errors.Join(err, in.Close(), c.Wait()); err != nil {
		return err
	}
	return b.say(c, copies, written, time.Since(began), filepath.Join(folder, "report"))
}

// say prints what the command took.
func (b big) say(c *exec.Cmd, copies int, written int64, took time.Duration, output string) error {
	info, err := os.Stat(output)
	if err != nil {
		return err
	}
	gb := float64(written) / 1e9
	fmt.Printf("%.2f GB of input, the recordings %d times, %.2f GB of %s: %.0f s, %.1f s per GB", gb, copies, float64(info.Size())/1e9, b.format, took.Seconds(), took.Seconds()/gb)
	usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		fmt.Println()
		return nil
	}
	peak := int(usage.Maxrss / 1000 * 1024 / 1000) // Linux counts in KiB
	cpu := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	fmt.Printf(", %.1f s of CPU per GB, %d MB at the peak\n", cpu.Seconds()/gb, peak)
	const fixed = 200 // MB for the command itself and the runs that are open
	if limit := fixed + int(gb*float64(b.limit)); peak > limit {
		return fmt.Errorf("the command needed %d MB, and may need %d", peak, limit)
	}
	return nil
}

// read returns the recorded lines.
func read(pattern string) ([]*template, error) {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no files match %s", pattern)
	}
	var all []*template
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			all = append(all, newTemplate(line))
		}
	}
	return all, nil
}

// A template is a line whose ids are different in each copy.
type template struct {
	text []byte
	ids  [][2]int // begin and end of each
}

// id matches what looks like an id, and also times, which have no letters.
var id = regexp.MustCompile(`[0-9a-f]{12,}`)

func newTemplate(line string) *template {
	t := &template{text: []byte(line)}
	for _, at := range id.FindAllStringIndex(line, -1) {
		if strings.ContainsAny(line[at[0]:at[1]], "abcdef") {
			t.ids = append(t.ids, [2]int(at))
		}
	}
	return t
}

// write writes copy n of the line. Equal ids of the line stay equal.
func (t *template) write(w io.Writer, n int) error {
	text := append([]byte(nil), t.text...)
	mask := uint32(n) * 2654435761 // odd, so that each copy has another
	for _, at := range t.ids {
		for i := range 8 {
			digit := &text[at[1]-1-i]
			*digit = hexDigits[value(*digit)^byte(mask>>(4*i)&15)]
		}
	}
	_, err := w.Write(text)
	return err
}

const hexDigits = "0123456789abcdef"

func value(digit byte) byte {
	if digit >= 'a' {
		return digit - 'a' + 10
	}
	return digit - '0'
}

// write writes copies of the templates until they have the given number of bytes.
func write(w io.Writer, templates []*template, bytes int64) (copies int, written int64, err error) {
	b := bufio.NewWriterSize(w, 1<<20)
	for ; written < bytes; copies++ {
		for _, t := range templates {
			if err := t.write(b, copies); err != nil {
				return copies, written, err
			}
			written += int64(len(t.text))
		}
	}
	return copies, written, b.Flush()
}
