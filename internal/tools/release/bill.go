package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/CycloneDX/cyclonedx-gomod/pkg/generate/bin"
	"github.com/google/uuid"
	"github.com/rs/zerolog"
)

const processorModule = "github.com/toolcorrectness/toolcorrectnessprocessor"

// writeBill writes what is in a program, as its own build information says: every module with its version and checksum.
func (r *release) writeBill(program, bill string) error {
	generator, err := bin.NewGenerator(program, bin.WithIncludeStdlib(true), bin.WithVersionOverride("v"+r.version), bin.WithLogger(zerolog.Nop()))
	if err != nil {
		return err
	}
	bom, err := generator.Generate()
	if err != nil {
		return err
	}
	bom.Metadata.Timestamp = r.time.Format(time.RFC3339)
	bom.Metadata.Component.Name = strings.TrimSuffix(filepath.Base(program), ".exe")
	bom.Metadata.Component.Licenses = &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}}
	// The properties have the program's checksums: another number for each program, and the same in each build.
	bom.SerialNumber = uuid.NewSHA1(uuid.NameSpaceOID, fmt.Append(nil, *bom.Metadata.Properties)).URN()
	for _, p := range *bom.Metadata.Properties {
		if strings.HasSuffix(p.Name, string(cdx.HashAlgoSHA256)) {
			bom.Metadata.Component.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: p.Value}}
		}
	}
	for _, c := range *bom.Components {
		if c.Version == "(devel)" && c.Name != ".." {
			return fmt.Errorf("%s: the version of %s is not known", program, c.Name)
		}
	}
	var text bytes.Buffer
	if err := cdx.NewBOMEncoder(&text, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom); err != nil {
		return err
	}
	// The collector is built with the processor of the folder above it, which Go names by its path.
	folder := strings.NewReplacer("golang/..@(devel)", "golang/"+processorModule+"@v"+r.version, `".."`, `"`+processorModule+`"`, `"(devel)"`, `"v`+r.version+`"`)
	return os.WriteFile(bill, []byte(folder.Replace(text.String())), 0o644)
}
