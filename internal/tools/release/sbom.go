package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// writeSBOM writes what is in a binary, as its own build information says: every module with its version and checksum.
func (r *release) writeSBOM(b binary) error {
	info, err := buildinfo.ReadFile(b.path)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(b.path)
	if err != nil {
		return err
	}
	bom := r.sbom(b, info, sha256.Sum256(data))
	return writeFile(r.file(b.name, "_"+b.os+"_"+b.arch+".cdx.json"), func(w io.Writer) error {
		return cdx.NewBOMEncoder(w, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
	})
}

func (r *release) sbom(b binary, info *debug.BuildInfo, sum [sha256.Size]byte) *cdx.BOM {
	program := cdx.Component{
		BOMRef: b.name, Type: cdx.ComponentTypeApplication, Name: b.name, Version: r.Version,
		Hashes:   &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}},
		Licenses: &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}},
	}
	var components []cdx.Component
	var refs []string
	add := func(path, version, sum string) {
		c := cdx.Component{Type: cdx.ComponentTypeLibrary, Name: path, Version: version}
		c.PackageURL = fmt.Sprintf("pkg:golang/%s@%s?type=module", path, strings.ReplaceAll(version, "+", "%2B"))
		c.BOMRef = c.PackageURL
		if sum != "" {
			c.Properties = &[]cdx.Property{{Name: "go:sum", Value: sum}}
		}
		components, refs = append(components, c), append(refs, c.BOMRef)
	}
	add("std", strings.TrimPrefix(info.GoVersion, "go"), "")
	for _, m := range info.Deps { // sorted by path
		switch {
		case m.Replace == nil:
			add(m.Path, m.Version, m.Sum)
		case m.Replace.Version == "": // a folder: the processor itself
			add(m.Path, "v"+r.Version, "")
		default:
			add(m.Replace.Path, m.Replace.Version, m.Replace.Sum)
		}
	}
	bom := cdx.NewBOM()
	bom.SerialNumber = uuid(sum)
	bom.Metadata = &cdx.Metadata{Timestamp: r.epoch.Format(time.RFC3339), Component: &program}
	bom.Components = &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: program.BOMRef, Dependencies: &refs}}
	return bom
}

// uuid makes a serial number of a checksum, so that it is another one for each binary and the same in each build.
func uuid(sum [sha256.Size]byte) string {
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // version 8, of one's own making
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
