package toolcorrectnessprocessor

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"

	"go.opentelemetry.io/collector/confmap"
	"go.yaml.in/yaml/v3"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/filewatch"
)

// readExpectations reads a list of expectations from a file. Its errors name the file and a line. sum is the hash of the
// content.
func readExpectations(file filewatch.File) (list []listed, sum [sha256.Size]byte, err error) {
	err = file.Read(configcheck.MaxYAML, func(r io.Reader) error {
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
	root, err := configcheck.YAMLList(text, "expectations")
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

// decodeExpectation reads one expectation. Every error has the line on which the expectation begins.
func decodeExpectation(node *yaml.Node, place string) (*ExpectationConfig, error) {
	var raw any
	if err := node.Decode(&raw); err != nil {
		return nil, configcheck.YAMLError(err)
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
	return config, configcheck.AtLine(node.Line, errs.Err())
}
