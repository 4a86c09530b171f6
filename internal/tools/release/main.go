// Release makes of compiled programs what internal/tools/release.sh cannot: the bill of materials of each, and the collector's OCI image.
//
//	release BINARIES OUT NAME VERSION DESCRIPTION SECONDS   BINARIES has files OS-ARCH/PROGRAM
//	release LAYOUT ARCH FOLDER                              unpacks an image, and prints its user and command
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// A release is a version of the collector. All its files have one time.
type release struct {
	name, version, description string
	time                       time.Time
}

func main() {
	var err error
	switch args := os.Args[1:]; len(args) {
	case 6:
		seconds, _ := strconv.ParseInt(args[5], 10, 64)
		r := release{args[2], args[3], args[4], time.Unix(seconds, 0).UTC()}
		err = errors.Join(r.writeBills(args[0], args[1]), r.writeImage(args[0], filepath.Join(args[1], r.name+"_"+r.version+"_oci")))
	case 3:
		var c v1.Config
		c, err = unpack(args[0], args[1], args[2])
		fmt.Println(c.User, strings.Join(append(c.Entrypoint, c.Cmd...), " "))
	default:
		err = errors.New("want three or six arguments")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func (r *release) writeBills(binaries, out string) error {
	programs, err := filepath.Glob(filepath.Join(binaries, "*-*", "*"))
	for _, path := range programs {
		name := strings.TrimSuffix(filepath.Base(path), ".exe")
		platform := strings.Replace(filepath.Base(filepath.Dir(path)), "-", "_", 1)
		err = errors.Join(err, r.writeBill(path, filepath.Join(out, name+"_"+r.version+"_"+platform+".cdx.json")))
	}
	return err
}
