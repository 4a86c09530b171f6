package acceptance

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// pages returns the hand-written pages of all folders by their paths below the root, without generated ones.
func pages(t *testing.T) map[string]string {
	found := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		file, _ := filepath.Rel(root, path)
		name := filepath.Base(file)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != "." && (name == "dist" || strings.HasPrefix(name, ".")):
			return fs.SkipDir
		case filepath.Ext(name) != ".md", name == "documentation.md":
			return nil
		}
		text, err := os.ReadFile(path)
		found[file] = string(text)
		return err
	})
	require.NoError(t, err)
	require.Greater(t, len(found), 30)
	require.Contains(t, found, filepath.Join("deploy", "kubernetes", "README.md"))
	return found
}

var (
	codeBlock = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	heading   = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	link      = regexp.MustCompile(`\]\(([^)\s]+)\)|<img src="([^"]+)"`)
)

// anchors returns the anchors of a page's headings, as GitHub makes them.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for _, match := range heading.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		name := strings.Map(func(r rune) rune {
			switch {
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			case r == ' ':
				return '-'
			}
			return -1
		}, strings.TrimSpace(match[1]))
		for again, first := 1, name; found[name]; again++ {
			name = fmt.Sprintf("%s-%d", first, again)
		}
		found[name] = true
	}
	return found
}

// Every link leads to an existing file and heading.
func TestLinksLeadSomewhere(t *testing.T) {
	all := pages(t)
	checked := 0
	for file, text := range all {
		for _, match := range link.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
			target := match[1] + match[2]
			if strings.Contains(target, "://") {
				continue
			}
			path, anchor, _ := strings.Cut(target, "#")
			to := file
			if path != "" {
				to = filepath.Join(filepath.Dir(file), path)
				_, err := os.Stat(inRoot(to))
				require.NoError(t, err, "%s links to %s", file, target)
			}
			if anchor != "" && strings.HasSuffix(to, ".md") {
				assert.True(t, anchors(all[to])[anchor], "%s links to %s, which has no such heading", file, target)
			}
			checked++
		}
	}
	require.Greater(t, checked, 100)
}

// The pages mention every key of the configuration, as code.
func TestEveryKeyHasItsPlace(t *testing.T) {
	all := pages(t)
	page := all[filepath.Join("docs", "configuration.md")]
	text, err := os.ReadFile(inRoot("config.schema.yaml"))
	require.NoError(t, err)
	var schema any
	require.NoError(t, yaml.Unmarshal(text, &schema))
	found := keysOf(schema)
	require.Greater(t, len(found), 50)
	for key := range found {
		if !strings.Contains(page, "`"+key+"`") { // without the page in the message
			t.Errorf("docs/configuration.md does not have the key %s", key)
		}
	}
}

// keysOf returns the names of all properties below a schema.
func keysOf(schema any) map[string]bool {
	found := map[string]bool{}
	switch x := schema.(type) {
	case map[string]any:
		for key, below := range x {
			properties, named := below.(map[string]any)
			if key == "properties" && named {
				for name := range properties {
					found[name] = true
				}
			}
			for name := range keysOf(below) {
				found[name] = true
			}
		}
	case []any:
		for _, below := range x {
			for name := range keysOf(below) {
				found[name] = true
			}
		}
	}
	return found
}

// The metrics that docs/operations.md says to watch, and those of its sums of spans, exist.
func TestWatchedMetricsExist(t *testing.T) {
	const prefix = "processor_tool_correctness_"
	own := ownMetrics(t)
	page := pages(t)[filepath.Join("docs", "operations.md")]
	_, section, _ := strings.Cut(page, "## Other trouble")
	section, _, _ = strings.Cut(section, "## Sizing")
	watched := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| (.*?) \|`).FindAllStringSubmatch(section, -1) {
		for _, name := range regexp.MustCompile("`([a-z]+_[a-z_]+)[`{]").FindAllStringSubmatch(row[1], -1) {
			watched[name[1]] = true
		}
	}
	for _, sum := range regexp.MustCompile("(?m)^    .*").FindAllString(section, -1) {
		for _, name := range regexp.MustCompile("[a-z_]+").FindAllString(sum, -1) {
			watched[name] = true
		}
	}
	for name := range watched {
		require.True(t, slices.Contains(own, prefix+name) || strings.HasPrefix(name, "otelcol_exporter_"), name)
	}
	require.Greater(t, len(watched), 15)
}

// Every example begins with a comment on its purpose.
func TestExamplesSayWhatTheyAreFor(t *testing.T) {
	for _, pattern := range []string{"examples/*.yaml", "examples/*/*.yaml"} {
		files, err := filepath.Glob(inRoot(pattern))
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			first, _, _ := strings.Cut(string(text), "\n")
			assert.Regexp(t, `^# .{30,}`, first, file)
		}
	}
}

// Pages and comments name a decision by its number, so each has one of its own, which its title repeats. A decision that was replaced
// leaves a gap.
func TestDecisionsHaveNumbersOfTheirOwn(t *testing.T) {
	files, err := filepath.Glob(inRoot("docs", "decisions", "*.md"))
	require.NoError(t, err)
	last := 0
	for _, file := range files {
		number, err := strconv.Atoi(filepath.Base(file)[:4])
		require.NoError(t, err, file)
		assert.Greater(t, number, last, "%s has a number of its own", file)
		last = number
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(string(text), fmt.Sprintf("# %d. ", number)), "the title of %s", file)
	}
	require.NotEmpty(t, files)
}
