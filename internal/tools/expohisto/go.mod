// In place of the module of exponential histograms, while the module proxy does not have it. Nothing here converts one.
module github.com/open-telemetry/opentelemetry-collector-contrib/pkg/expohisto

go 1.26.0
