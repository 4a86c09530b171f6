package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// writeNotes writes the changelog's section about the version or, until there is one, about what is unreleased.
func (r *release) writeNotes() error {
	text, err := os.ReadFile(filepath.Join(r.root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	notes, err := section(string(text), r.Version)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, "release-notes.md"), []byte(notes), 0o644)
}

// section is the part of a changelog below `## VERSION`, with or without something behind it, or else below `## Unreleased`.
func section(changelog, version string) (string, error) {
	for _, want := range []string{version, "v" + version, "Unreleased"} {
		for part := range strings.SplitSeq("\n"+changelog, "\n## ") {
			title, text, _ := strings.Cut(part, "\n")
			words := strings.Fields(title)
			if len(words) > 0 && strings.Trim(words[0], "[]") == want && strings.TrimSpace(text) != "" {
				return strings.TrimSpace(text) + "\n", nil
			}
		}
	}
	return "", fmt.Errorf("CHANGELOG.md must have a section %q or \"Unreleased\" with text in it", version)
}

// checksums is the name of the file with the checksum of every other file, as sha256sum -c reads it.
const checksums = "checksums.txt"

func writeChecksums(dir string) error {
	var lines strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error { // in the order of names
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256(data), filepath.ToSlash(name))
		return err
	})
	return errors.Join(err, os.WriteFile(filepath.Join(dir, checksums), []byte(lines.String()), 0o644))
}
