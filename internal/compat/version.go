package main

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// listedVersions bounds how many versions of a module are looked at for the one that belongs to a release.
const listedVersions = 8

// versions sets the versions that the modules have in the release, and fails if one cannot be downloaded.
func (r release) versions(run commands, modules []requirement) error {
	var missing []string
	for i := range modules {
		version, found := r.version(run, modules[i])
		if !found {
			missing = append(missing, strings.TrimPrefix(strings.TrimPrefix(modules[i].Path, core), contrib))
		}
		modules[i].Version = version
	}
	if len(missing) > 0 {
		return errors.New("the module proxy does not have " + strings.Join(missing, ", "))
	}
	return nil
}

// version is the one that a module has in the release. A module may promise compatibility in one release and not yet in
// an earlier one.
func (r release) version(run commands, q requirement) (string, bool) {
	likely := []string{r.String(), r.stable()}
	if strings.HasPrefix(q.Version, "v1.") {
		slices.Reverse(likely)
	}
	for _, version := range likely {
		if _, err := download(run, q.Path, version); err == nil {
			return version, true
		}
	}
	return r.ownVersion(run, q.Path)
}

// ownVersion returns the version of a module with version numbers of its own, as OTTL has from v1.0.0 on. It is the newest
// one that requires the release's stable modules.
func (r release) ownVersion(run commands, path string) (string, bool) {
	listed, err := run("go", "list", "-m", "-versions", path)
	if err != nil {
		return "", false
	}
	all := strings.Fields(listed)
	for i := len(all) - 1; i > 0 && i >= len(all)-listedVersions; i-- { // the first word is the path
		if !strings.HasPrefix(all[i], "v1.") {
			continue
		}
		file, err := download(run, path, all[i])
		if err != nil {
			continue
		}
		asked, err := requirements(run, file)
		if err == nil && slices.ContainsFunc(asked, func(q requirement) bool {
			return q.Version == r.stable() && (q.Path == core+"component" || q.Path == core+"pdata")
		}) {
			return all[i], true
		}
	}
	return "", false
}

// download fetches a module and returns the name of its go.mod file.
func download(run commands, path, version string) (goMod string, err error) {
	printed, err := run("go", "mod", "download", "-json", path+"@"+version)
	if err != nil {
		return "", err
	}
	var got struct{ GoMod, Error string }
	if err := json.Unmarshal([]byte(printed), &got); err != nil {
		return "", err
	}
	if got.Error != "" {
		return "", errors.New(got.Error)
	}
	return got.GoMod, nil
}
