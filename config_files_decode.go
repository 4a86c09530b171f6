package toolcorrectnessprocessor

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"go.opentelemetry.io/collector/confmap"
	"go.yaml.in/yaml/v3"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/filewatch"
)

// maxExpectationFile bounds a file of expectations, in bytes. Thousands of cases belong in a dataset.
const maxExpectationFile = 16 << 20

// readExpectations reads a list of expectations from a file. Its errors name the file and a line. sum is the hash of the
// content.
func readExpectations(file filewatch.File) (list []listed, sum [sha256.Size]byte, err error) {
	err = file.Read(maxExpectationFile, func(r io.Reader) error {
		text, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		sum = sha256.Sum256(text)
		list, err = decodeExpectations(file.Path, text)
		return err
	})
	return list, sum, err
}

// decodeExpectations reads a list of expectations from YAML, of which JSON is a part. The errors within an expectation
// begin with its line.
func decodeExpectations(path string, text []byte) ([]listed, error) {
	root, err := yamlList(text, "expectations")
	if err != nil {
		return nil, err
	}
	var list []listed
	var errs []error
	for i, node := range root.Content {
		config, err := decodeExpectation(node, fmt.Sprintf("[%d]", i))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		list = append(list, listed{
			config, fmt.Sprintf("%s:%d: [%d]", path, node.Line, i), fmt.Sprintf("%s[%d]", filepath.Base(path), i), nil,
		})
	}
	return list, errors.Join(errs...)
}

// yamlList reads YAML that is one list, of what it should have.
func yamlList(text []byte, of string) (*yaml.Node, error) {
	var document yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(text))
	err := d.Decode(&document)
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("is empty: it must be a list of %s ([] for none)", of)
	case err != nil:
		return nil, yamlError(err)
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("must be one YAML document, has more behind a ---")
	}
	root := document.Content[0]
	if root.Kind != yaml.SequenceNode {
		return nil, filewatch.LineError{Line: root.Line, Err: fmt.Errorf("must be a list of %s, each beginning with a -", of)}
	}
	return root, nil
}

// decodeExpectation reads one expectation. Every error has the line on which the expectation begins.
func decodeExpectation(node *yaml.Node, place string) (*ExpectationConfig, error) {
	var raw any
	if err := node.Decode(&raw); err != nil {
		return nil, yamlError(err)
	}
	config := new(ExpectationConfig)
	errs := configcheck.New()
	under := errs.Under(place)
	shaped, ok := under.Shape(raw, reflect.TypeFor[ExpectationConfig](), shorthands).(map[string]any)
	if !ok {
		under.Add("", "must be a map, is empty")
	} else if err := confmap.NewFromStringMap(shaped).Unmarshal(config); err != nil {
		under.Join(err)
	}
	return config, atLine(node.Line, errs.Err())
}

// atLine puts a line before each part of an error.
func atLine(line int, err error) error {
	if parts, ok := err.(interface{ Unwrap() []error }); ok {
		var errs []error
		for _, part := range parts.Unwrap() {
			errs = append(errs, atLine(line, part))
		}
		return errors.Join(errs...)
	}
	if err == nil {
		return nil
	}
	return filewatch.LineError{Line: line, Err: err}
}

// fromZero are the errors whose lines the YAML parser counts from 0. It counts those of all other errors from 1.
var fromZero = regexp.MustCompile(`^did not find expected (<|node content|'-' indicator|key|',' or)`)

// yamlError is an error of the YAML parser, which names the line itself, in the form of our own.
func yamlError(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	text = strings.TrimPrefix(text, "unmarshal errors:\n  ")
	var line int
	if n, _ := fmt.Sscanf(text, "line %d: ", &line); n == 1 {
		_, text, _ = strings.Cut(text, ": ")
		if fromZero.MatchString(text) {
			line++
		}
		return filewatch.LineError{Line: line, Err: errors.New(text)}
	}
	return fmt.Errorf("is no YAML: %s", text)
}
