package configcheck

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// MaxYAML bounds a file of YAML, in bytes. Thousands of cases belong in a dataset of JSON lines.
const MaxYAML = 16 << 20

// A YAMLFile is a file of YAML that is one list. JSON is valid YAML.
type YAMLFile struct {
	Path     string
	Elements []any
	root     *yaml.Node
}

// ReadYAML reads a file to its end. of names its elements in errors.
func ReadYAML(path string, source io.Reader, of string) (*YAMLFile, error) {
	text, err := io.ReadAll(source) // the parser hides the kind of an error of reading
	if err != nil {
		return nil, err
	}
	var document yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(text))
	err = d.Decode(&document)
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s: is empty: it must be a list of %s ([] for none)", path, of)
	case err != nil:
		return nil, yamlError(path, err)
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: must be one YAML document, has more behind a ---", path)
	}
	f := &YAMLFile{Path: path, root: document.Content[0]}
	if f.root.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("%s:%d: must be a list of %s, each beginning with a -", path, f.root.Line, of)
	}
	if err := f.root.Decode(&f.Elements); err != nil {
		return nil, yamlError(path, err)
	}
	return f, nil
}

// Place is where the value at a path stands: the file, its line, and the path. Without a file it is the path.
func (f *YAMLFile) Place(path string) string {
	if f == nil {
		return path
	}
	return fmt.Sprintf("%s:%d: %s", f.Path, f.Line(path), path)
}

// fromZero are the errors whose lines the YAML parser counts from 0. It counts those of all other errors from 1.
var fromZero = regexp.MustCompile(`^did not find expected (<|node content|'-' indicator|key|',' or)`)

// yamlError is an error of the YAML parser about a file, which names the line itself, in the form of our own.
func yamlError(file string, err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	text = strings.TrimPrefix(text, "unmarshal errors:\n  ")
	var line int
	if n, _ := fmt.Sscanf(text, "line %d: ", &line); n != 1 {
		return fmt.Errorf("%s: is no YAML: %s", file, text)
	}
	_, text, _ = strings.Cut(text, ": ")
	if fromZero.MatchString(text) {
		line++
	}
	return fmt.Errorf("%s:%d: %s", file, line, text)
}

// Line is the line of the key at a path, or of the last key on the way to it that is there.
func (f *YAMLFile) Line(path string) int { return lineOf(f.root, path, f.root.Line) }

func lineOf(node *yaml.Node, path string, line int) int {
	path = strings.TrimPrefix(path, ".")
	name, key, value := "", node, node
	switch node.Kind {
	case yaml.SequenceNode:
		var i int
		if n, _ := fmt.Sscanf(path, "[%d]", &i); n == 1 && i < len(node.Content) {
			name, key, value = fmt.Sprintf("[%d]", i), node.Content[i], node.Content[i]
		}
	case yaml.MappingNode:
		for i := 0; i < len(node.Content); i += 2 {
			if k := node.Content[i]; len(k.Value) > len(name) && isBelow(path, k.Value) { // the longest one: a name may have dots
				name, key, value = k.Value, k, node.Content[i+1]
			}
		}
	}
	if name == "" {
		return line
	}
	return lineOf(value, path[len(name):], key.Line)
}
