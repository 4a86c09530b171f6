package toolcorrectnessscoresexporter

import (
	"encoding/json"
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
	code    string // of the error, in MLflow's responses
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
	f := &failure{backend: b.name, status: resp.StatusCode, code: codeOf(answer)}
	switch {
	case f.status == http.StatusTooManyRequests || f.status == http.StatusServiceUnavailable:
		f.what, f.all = "asked to be sent less", true
		return exporterhelper.NewThrottleRetry(f, retryAfter(resp.Header.Get("Retry-After")))
	case f.status == http.StatusRequestTimeout || f.status >= http.StatusInternalServerError:
		f.what = "failed"
		return f
	}
	rule, invalid := b.rule(f.status)
	f.what, f.cause, f.invalid, f.all = "refused scores", errors.New(rule), invalid, !invalid
	return consumererror.NewPermanent(f)
}

// rule says what a refusal means, and whether the content of the request is at fault.
func (b *backend) rule(status int) (rule string, invalid bool) {
	switch status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return "the request is not as the API wants it", true
	case http.StatusRequestEntityTooLarge:
		return "the request is too large", true
	case http.StatusUnauthorized:
		return "the key is missing or wrong; check " + b.keys, false
	case http.StatusForbidden:
		return "the key may not write scores; check its permissions and " + b.keys, false
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return "there is no such API at this address; check `endpoint` and the version of the server", false
	}
	if status/100 == 3 {
		return "redirects are not followed; `endpoint` must be the address that answers", false
	}
	return "the request is not accepted", false
}

// retryAfter reads the header Retry-After, which is a number of seconds or a date. Anything else is no wait.
func retryAfter(header string) time.Duration {
	const longest = 24 * time.Hour
	if seconds, err := strconv.ParseUint(header, 10, 32); err == nil {
		return min(time.Duration(seconds)*time.Second, longest)
	}
	if date, err := http.ParseTime(header); err == nil {
		return min(max(time.Until(date), 0), longest)
	}
	return 0
}

// codeOf returns the code of an error of MLflow, such as RESOURCE_DOES_NOT_EXIST.
func codeOf(answer []byte) string {
	var e struct {
		Code string `json:"error_code"`
	}
	_ = json.Unmarshal(answer, &e) // other backends have no code
	return e.Code
}
