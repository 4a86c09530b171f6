package expectfiles

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
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dataset"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/filewatch"
)

// An Entry is an expectation and where it stands.
type Entry[E any] struct {
	Config *E
	// Place is where it stands, such as expectations[0] or a file's name, line and index. Name is what it is called if it
	// says nothing.
	Place, Name string
	// Cases are those of its dataset, once they are read.
	Cases *dataset.Cases
}

// readList reads a list of expectations from a file. Its errors name the file and a line. sum is the hash of the content.
func readList[E any](file filewatch.File, short configcheck.Shorthands) (list []Entry[E], sum [sha256.Size]byte, err error) {
	err = file.Read(configcheck.MaxYAML, func(r io.Reader) error {
		text, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		sum = sha256.Sum256(text)
		list, err = decodeList[E](file.Path, text, short)
		return err
	})
	return list, sum, err
}

// decodeList reads a list of expectations from YAML. The errors within an expectation begin with its line.
func decodeList[E any](path string, text []byte, short configcheck.Shorthands) ([]Entry[E], error) {
	root, err := configcheck.YAMLList(text, "expectations")
	if err != nil {
		return nil, err
	}
	var list []Entry[E]
	var errs []error
	for i, node := range root.Content {
		config, err := decode[E](node, fmt.Sprintf("[%d]", i), short)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		list = append(list, Entry[E]{
			Config: config, Place: fmt.Sprintf("%s:%d: [%d]", path, node.Line, i), Name: fmt.Sprintf("%s[%d]", filepath.Base(path), i),
		})
	}
	return list, errors.Join(errs...)
}

// decode reads one expectation. Every error has the line on which the expectation begins.
func decode[E any](node *yaml.Node, place string, short configcheck.Shorthands) (*E, error) {
	var raw any
	if err := node.Decode(&raw); err != nil {
		return nil, configcheck.YAMLError(err)
	}
	config := new(E)
	errs := configcheck.New()
	under := errs.Under(place)
	shaped, ok := under.Shape(raw, reflect.TypeFor[E](), short).(map[string]any)
	if !ok {
		under.Add("", "must be a map, is empty")
	} else if err := confmap.NewFromStringMap(shaped).Unmarshal(config); err != nil {
		under.Join(err)
	}
	return config, configcheck.AtLine(node.Line, errs.Err())
}
