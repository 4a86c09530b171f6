package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// writeBill writes what is in a program, as its own build information says: every module with its version and checksum.
func (r *release) writeBill(name, path, bill string) error {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	program := cdx.Component{
		BOMRef: name, Type: cdx.ComponentTypeApplication, Name: name, Version: r.version,
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
			add(m.Path, "v"+r.version, "")
		default:
			add(m.Replace.Path, m.Replace.Version, m.Replace.Sum)
		}
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Timestamp: r.time.Format(time.RFC3339), Component: &program}
	bom.Components, bom.Dependencies = &components, &[]cdx.Dependency{{Ref: name, Dependencies: &refs}}
	// The serial number is a UUID of version 8, made of the checksum: another one for each program, and the same in each build.
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	bom.SerialNumber = fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
	f, err := os.Create(bill)
	if err != nil {
		return err
	}
	defer f.Close()
	return cdx.NewBOMEncoder(f, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
}
