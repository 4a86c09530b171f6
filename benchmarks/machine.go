package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// machine describes where the figures are from.
func machine() string {
	return fmt.Sprintf("%s, %d cores (GOMAXPROCS %d), %s/%s, %s.\n",
		processorModel(), runtime.NumCPU(), runtime.GOMAXPROCS(0), runtime.GOOS, runtime.GOARCH, runtime.Version())
}

// processorModel is what Linux calls the processor.
func processorModel() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "Unknown processor"
	}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "Unknown processor"
}

// versions lists the modules that are compiled in.
func versions() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "Unknown: the build has no information.\n"
	}
	var b strings.Builder
	b.WriteString("| module | version |\n|---|---|\n")
	for _, m := range info.Deps {
		if m.Replace != nil {
			m.Version = "this checkout"
		}
		fmt.Fprintf(&b, "| %s | %s |\n", m.Path, m.Version)
	}
	return b.String()
}
