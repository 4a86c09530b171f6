package toolcorrectnessscoresexporter

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
)

// A failure is why a backend has not stored a score. It is permanent to [consumererror] if it is final.
type failure struct {
	backend string
	what    string // happened
	status  int    // of the response; 0 without one
	cause   error
	answer  []byte // that came with the status
	invalid bool   // whether the content of the request is at fault, and not its sender or its address
	all     bool   // whether other scores would fail alike, so that none should be tried now
}

func (f *failure) Error() string {
	s := f.backend + " " + f.what
	if f.status != 0 {
		s += " with status " + strconv.Itoa(f.status)
	}
	if f.cause != nil {
		s += ": " + f.cause.Error()
	}
	return s
}

func (f *failure) Unwrap() error { return f.cause }

// failureOf returns the failure behind an error, or one that says nothing.
func failureOf(err error) *failure {
	f := new(failure)
	errors.As(err, &f)
	return f
}

// unavailable reports whether the backend may accept the same request later.
func unavailable(err error) bool {
	return failureOf(err).backend != "" && !consumererror.IsPermanent(err)
}

// failure turns a response with a status other than 2xx into an error, which repeats no text of the response, because that may
// have values.
func (b *backend) failure(resp *http.Response, answer []byte) error {
	f := &failure{backend: b.name, what: "refused scores", status: resp.StatusCode, answer: answer}
	rule := "the request is not accepted"
	switch {
	case f.status == http.StatusTooManyRequests || f.status == http.StatusServiceUnavailable:
		f.what, f.all = "asked to be sent less", true
		return exporterhelper.NewThrottleRetry(f, retryAfter(resp.Header.Get("Retry-After")))
	case f.status == http.StatusRequestTimeout || f.status >= http.StatusInternalServerError:
		f.what = "failed"
		return f
	case f.status == http.StatusBadRequest || f.status == http.StatusUnprocessableEntity:
		rule, f.invalid = "the request is not as the API wants it", true
	case f.status == http.StatusRequestEntityTooLarge:
		rule, f.invalid = "the request is too large", true
	case f.status == http.StatusUnauthorized:
		rule = "the key is missing or wrong; check " + b.keys
	case f.status == http.StatusForbidden:
		rule = "the key may not write scores; check its permissions and " + b.keys
	case f.status == http.StatusNotFound || f.status == http.StatusMethodNotAllowed:
		rule = "there is no such API at this address; check `endpoint` and the version of the server"
	case f.status/100 == 3:
		rule = "redirects are not followed; `endpoint` must be the address that answers"
	}
	f.cause, f.all = errors.New(rule), !f.invalid
	return consumererror.NewPermanent(f)
}

// retryAfter reads the header Retry-After, which is a number of seconds or a date. Anything else is no wait.
func retryAfter(header string) time.Duration {
	const longest = 24 * time.Hour
	if seconds, err := strconv.ParseUint(header, 10, 32); err == nil {
		return min(time.Duration(seconds)*time.Second, longest)
	}
	date, _ := http.ParseTime(header) // else a time long ago
	return min(max(time.Until(date), 0), longest)
}
