// Package page opens the command's HTML report in a real browser, headless. `make e2e WITH=report` runs
// its tests: they have the build tag browser, because they need Chromium.
package page
