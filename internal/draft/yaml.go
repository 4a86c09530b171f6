package draft

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
)

// writeConfig writes a collector configuration with this section of the processor, below a comment. Texts stay what they are: a
// dollar, which a collector would take for the beginning of a variable's name, is doubled, and a comment cannot end early. Characters that
// are invisible or rearrange others are escaped, and load as they were.
func writeConfig(w io.Writer, section *yaml.Node, head string) error {
	var text bytes.Buffer
	e := yaml.NewEncoder(&text)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(map[string]map[string]*yaml.Node{"processors": {"tool_correctness": section}}), e.Close()); err != nil {
		return err
	}
	whole := comment(head) + "\n" + strings.ReplaceAll(text.String(), "$", "$$")
	_, err := w.Write(report.EscapeJSON([]byte(whole))) // hidden characters are only in texts in double quotes
	return err
}

// yamlOf is a value as YAML, with the keys that it has in JSON. Numbers stay as JSON has them.
func yamlOf(value any) *yaml.Node {
	text, _ := json.Marshal(value) // it has a form in JSON
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return yamlNext(d)
}

func yamlNext(d *json.Decoder) *yaml.Node {
	token, _ := d.Token() // it is JSON
	n := &yaml.Node{}
	switch token := token.(type) {
	case json.Delim:
		n.Kind = map[json.Delim]yaml.Kind{'{': yaml.MappingNode, '[': yaml.SequenceNode}[token]
		for d.More() {
			n.Content = append(n.Content, yamlNext(d)) // of a map, keys and values in turn
		}
		_, _ = d.Token() // the end
	case json.Number:
		n.Kind, n.Value = yaml.ScalarNode, token.String()
	default:
		_ = n.Encode(token) // it has a form in YAML
		if strings.ContainsFunc(n.Value, func(r rune) bool { return visible(r) != r }) {
			n.Style = yaml.DoubleQuotedStyle
		}
	}
	return n
}

// below is the value of a key of a map that has the key.
func below(n *yaml.Node, key string) *yaml.Node {
	at := 0
	for n.Content[at].Value != key {
		at += 2
	}
	return n.Content[at+1]
}

// comment is text behind hashes. What spans say may have line ends, which would end the comment.
func comment(s string) string {
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		lines = append(lines, "# "+strings.Map(visible, line))
	}
	return strings.Join(lines, "\n")
}

// visible is r, or a question mark for what has no shape.
func visible(r rune) rune {
	if strconv.IsPrint(r) {
		return r
	}
	return '?'
}
