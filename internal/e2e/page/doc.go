// Package page opens the command's HTML report in a real browser, headless. It needs Chromium; without it its tests are skipped.
package page
