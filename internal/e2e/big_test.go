package e2e

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// docs/command.md says what verdicts take that are kept in memory: 3.2 GB for 1.3 GB of input. GIGABYTES is how much input there is.
func TestMemoryOfTheCommand(t *testing.T) {
	gigabytes := 0.05
	if more := os.Getenv("GIGABYTES"); more != "" {
		var err error
		gigabytes, err = strconv.ParseFloat(more, 64)
		require.NoError(t, err)
	}
	const fixed, forGigabyte = 60, 2500 // MB; fixed is for the command itself and the runs that are open
	binary := filepath.Join(t.TempDir(), "toolcorrectness")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./cmd/toolcorrectness")
	build.Dir = "../.."
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)

	c := exec.CommandContext(t.Context(), binary, "-config", "../../examples/demo.yaml", "-format", "json", "-values",
		"-o", filepath.Join(t.TempDir(), "report"), "-pass-rate", "0", "-")
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	require.NoError(t, writeCopies(in, recordedLines(t), int64(gigabytes*1e9)))
	require.NoError(t, in.Close())
	require.NoError(t, c.Wait())
	usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage)
	require.True(t, ok)
	peak := float64(usage.Maxrss) * 1024 / 1e6 // Linux counts in KiB
	t.Logf("%.2f GB of input: %.0f MB at the peak, %s of CPU", gigabytes, peak, c.ProcessState.UserTime()+c.ProcessState.SystemTime())
	require.Less(t, peak, fixed+forGigabyte*gigabytes)
}

// A recordedLine is a line of a recorded trace whose ids are different in each copy.
type recordedLine struct {
	text []byte
	ids  [][]int // begin and end of each
}

// idText matches what looks like an id, and also times, which have no letters.
var idText = regexp.MustCompile(`[0-9a-f]{12,}`)

func recordedLines(t *testing.T) (all []recordedLine) {
	t.Helper()
	files, err := filepath.Glob("../../testdata/traces/*.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			r := recordedLine{text: []byte(line)}
			for _, at := range idText.FindAllStringIndex(line, -1) {
				if strings.ContainsAny(line[at[0]:at[1]], "abcdef") {
					r.ids = append(r.ids, at)
				}
			}
			all = append(all, r)
		}
	}
	return all
}

// writeCopies writes copies of the lines until they have the given number of bytes. Equal ids of a copy stay equal.
func writeCopies(w io.Writer, lines []recordedLine, size int64) error {
	const digits = "0123456789abcdef"
	b := bufio.NewWriterSize(w, 1<<20)
	for n := uint32(0); size > 0; n++ {
		mask := n * 2654435761 // odd, so that each copy has another
		for _, l := range lines {
			text := append([]byte(nil), l.text...)
			for _, at := range l.ids {
				for i := range 8 {
					digit := &text[at[1]-1-i]
					*digit = digits[strings.IndexByte(digits, *digit)^int(mask>>(4*i)&15)]
				}
			}
			if _, err := b.Write(text); err != nil {
				return err
			}
			size -= int64(len(text))
		}
	}
	return b.Flush()
}
