package expect

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func looked(patterns ...string) *snapshot {
	var s snapshot
	s.lists, s.empty = look(patterns)
	return &s
}

func put(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// Two looks are equal if and only if no file has changed.
func TestChanges(t *testing.T) {
	for _, tc := range []struct {
		claim  string
		same   bool
		change func(t *testing.T, dir string)
		reason string
	}{
		{"nothing", true, func(*testing.T, string) {}, "two looks at the same files"},
		{"a file of another name", true, func(t *testing.T, dir string) { put(t, dir+"/x.txt", "") }, "the pattern does not match it"},
		{"a new file", false, func(t *testing.T, dir string) { put(t, dir+"/c.yaml", "") }, "the pattern matches it"},
		{"a file less", false, func(t *testing.T, dir string) { require.NoError(t, os.Remove(dir+"/b.yaml")) }, "it is gone"},
		{"longer", false, func(t *testing.T, dir string) { put(t, dir+"/a.yaml", "longer") }, "another size"},
		{"another time", false, func(t *testing.T, dir string) {
			require.NoError(t, os.Chtimes(dir+"/a.yaml", time.Time{}, time.Unix(1, 0)))
		}, "written again in place"},
		{"other permissions", false, func(t *testing.T, dir string) { require.NoError(t, os.Chmod(dir+"/a.yaml", 0o000)) }, "it may be unreadable"},
		{"a rename over it", false, func(t *testing.T, dir string) {
			info, err := os.Stat(dir + "/a.yaml")
			require.NoError(t, err)
			put(t, dir+"/new", "text")
			require.NoError(t, os.Chtimes(dir+"/new", time.Time{}, info.ModTime()))
			require.NoError(t, os.Rename(dir+"/new", dir+"/a.yaml"))
		}, "another file, of the same size and time"},
		{"a link to another folder", false, func(t *testing.T, dir string) {
			require.NoError(t, os.Mkdir(dir+"/v2", 0o700))
			require.NoError(t, os.Link(dir+"/v1/b.yaml", dir+"/v2/b.yaml"))
			require.NoError(t, os.Symlink("v2", dir+"/next"))
			require.NoError(t, os.Rename(dir+"/next", dir+"/..data"))
		}, "as Kubernetes swaps a ConfigMap, even if the file is the same"},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir+"/a.yaml", "text")
			require.NoError(t, os.Mkdir(dir+"/v1", 0o700))
			put(t, dir+"/v1/b.yaml", "text")
			require.NoError(t, os.Symlink("v1", dir+"/..data"))
			require.NoError(t, os.Symlink("..data/b.yaml", dir+"/b.yaml"))
			before := looked(dir + "/*.yaml")
			require.Len(t, before.lists, 2)
			tc.change(t, dir)
			assert.Equal(t, tc.same, before.same(looked(dir+"/*.yaml")), tc.reason)
		})
	}
}

// Files come in the order of their paths, each once, whatever the order of the patterns.
func TestOrder(t *testing.T) {
	dir := t.TempDir()
	put(t, dir+"/a.yaml", "")
	put(t, dir+"/b.yaml", "")
	files, empty := look([]string{dir + "/b.yaml", dir + "/*.yaml", dir + "/./a.yaml", dir + "/*.json"})
	require.Len(t, files, 2)
	assert.Equal(t, dir+"/a.yaml", files[0].path)
	assert.Equal(t, []string{dir + "/*.json"}, empty)
}

func TestUnusableFiles(t *testing.T) {
	dir := t.TempDir()
	put(t, dir+"/a.yaml", "text")
	for _, tc := range []struct {
		claim string
		open  func(string) (io.ReadCloser, error)
		want  string
	}{
		{"no permission", func(path string) (io.ReadCloser, error) {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
		}, "DIR/a.yaml: cannot be read: permission denied"},
		{"a broken disk", func(path string) (io.ReadCloser, error) {
			return io.NopCloser(iotest.ErrReader(&fs.PathError{Op: "read", Path: path, Err: errors.New("input/output error")})), nil
		}, "read DIR/a.yaml: input/output error"},
		{"written while it is read", func(path string) (io.ReadCloser, error) {
			put(t, path, "longer text")
			return os.Open(path)
		}, "DIR/a.yaml: changed while it was read"},
		{"wrong content", func(path string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("wrong")), nil
		}, "DIR/a.yaml: wrong content"},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			put(t, dir+"/a.yaml", "text")
			f := lookAt(dir + "/a.yaml")
			open = tc.open
			t.Cleanup(func() { open = func(path string) (io.ReadCloser, error) { return os.Open(path) } })
			_, err := f.read(20, func(r io.Reader) error {
				text, err := io.ReadAll(r)
				if string(text) == "wrong" {
					return errors.New(dir + "/a.yaml: wrong content")
				}
				return err
			})
			require.EqualError(t, err, strings.ReplaceAll(tc.want, "DIR", dir))
		})
	}
	files, _ := look([]string{filepath.Join(dir, "a.yaml", "*")})
	_, err := files[0].read(20, nil)
	require.EqualError(t, err, dir+"/a.yaml: cannot be read: not a directory")
}
