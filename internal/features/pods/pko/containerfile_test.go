package pko

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	imageroot "github.com/hypershift-aws/hypershift-aws/internal/features/pods/image"
	"github.com/hypershift-aws/hypershift-aws/internal/features/pods/languagehost"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// repository is the folder of the project, which is the context of the image's build.
var repository = filepath.Join("..", "..", "..", "..")

// instruction is one of a Containerfile, with its lines joined.
type instruction struct{ name, rest string }

// stage is a part of a Containerfile that begins with FROM.
type stage struct {
	name, image  string
	instructions []instruction
}

// all returns the instructions of a name, one per line.
func (s stage) all(name string) string {
	var lines []string
	for _, i := range s.instructions {
		if i.name == name {
			lines = append(lines, i.rest)
		}
	}
	return strings.Join(lines, "\n")
}

// containerfile returns the Containerfile's stages, and its arguments before the first.
func containerfile(t *testing.T) (arguments map[string]string, stages []stage) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, "Containerfile"))
	require.NoError(t, err)
	var kept []string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") && strings.TrimSpace(line) != "" {
			kept = append(kept, strings.TrimRight(line, "\n"))
		}
	}
	arguments = map[string]string{}
	for line := range strings.Lines(strings.ReplaceAll(strings.Join(kept, "\n"), "\\\n", " ")) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case name == "FROM":
			image, as, _ := strings.Cut(rest, " AS ")
			stages = append(stages, stage{name: as, image: image})
		case len(stages) == 0:
			require.Equal(t, "ARG", name)
			key, value, _ := strings.Cut(rest, "=")
			arguments["${"+key+"}"] = value
		default:
			last := &stages[len(stages)-1]
			last.instructions = append(last.instructions, instruction{name, strings.TrimSpace(rest)})
		}
	}
	return arguments, stages
}

// The image is not built by a test: this is what can be said of its Containerfile without a builder.
func TestWhatTheContainerfileRefersToExists(t *testing.T) {
	t.Parallel()
	arguments, stages := containerfile(t)
	require.Len(t, stages, 2)
	build, image := stages[0], stages[1]
	gomod, err := os.ReadFile(filepath.Join(repository, "go.mod"))
	require.NoError(t, err)
	makefile, err := os.ReadFile(filepath.Join(repository, "Makefile"))
	require.NoError(t, err)

	language := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(gomod))
	require.NotNil(t, language)
	assert.Equal(t, "golang:"+language[1], arguments[build.image], "go.mod's language needs this toolchain")
	require.NotEmpty(t, arguments[image.image])

	run := build.all("RUN")
	assert.NotContains(t, run, "make engine", "that engine is for the demo and the tests")
	for _, folder := range regexp.MustCompile(`\./\S+`).FindAllString(run, -1) {
		assert.FileExists(t, filepath.Join(repository, folder, "main.go"))
	}
	for _, target := range regexp.MustCompile(`make (\S+)`).FindAllStringSubmatch(run, -1) {
		assert.Regexp(t, `(?m)^`+target[1]+`:`, string(makefile))
	}
	assert.Contains(t, build.all("ENV"), "CGO_ENABLED=0", "the programs run without the builder's libraries")

	// Package image makes what the image takes: what is not in the workspace cannot be written by its user.
	assert.Equal(t, 2, strings.Count(run, "go run ./internal/features/pods/image/build -root /out/image"))
	assert.Contains(t, run, "-plugins /out/home/plugins")
	assert.Contains(t, build.all("ENV"), "PULUMI_HOME=/out/home")
	assert.Equal(t, "--from=build /out/image/usr/ /usr/\n--from=build --chown=1000:1000 /out/image/workspace/ /workspace/", image.all("COPY"))
	assert.Equal(t, "GO_IMAGE\nBASE_IMAGE\nPROJECT="+config.ProjectName+
		"\nPLUGINS=required\nPULUMI_SHA256\nAWS_SHA256\nKUBERNETES_SHA256", build.all("ARG"))
	assert.Equal(t, "1000", image.all("USER"))
	assert.Equal(t, "/"+imageroot.Program, image.all("WORKDIR"))
	for _, variable := range []string{"HOME=/" + imageroot.Home, "PULUMI_HOME=/" + imageroot.Home + "/.pulumi",
		"TMPDIR=/" + imageroot.Temporary} {
		assert.Contains(t, strings.Fields(image.all("ENV")), variable)
	}
	assert.NotContains(t, image.all("RUN"), "golang")

	ignored, err := os.ReadFile(filepath.Join(repository, ".containerignore"))
	require.NoError(t, err)
	assert.Contains(t, strings.Fields(string(ignored)), "bin", "an engine of another machine must not get into the build")
}

// download is one archive that all downloads of TestTheImageIsBuiltOfWhatItsDigestsName get: an engine that notes its
// arguments in the file installed.
func download(t *testing.T) (archive, digest string) {
	t.Helper()
	archive = filepath.Join(t.TempDir(), "archive.tar.gz")
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	files := tar.NewWriter(zipped)
	engine := "#!/bin/sh\necho \"$@\" >> installed\n"
	require.NoError(t, files.WriteHeader(&tar.Header{Name: "pulumi/pulumi", Mode: 0o755, Size: int64(len(engine))}))
	_, err := files.Write([]byte(engine))
	require.NoError(t, errors.Join(err, files.Close(), zipped.Close(), os.WriteFile(archive, packed.Bytes(), 0o600)))
	return archive, fmt.Sprintf("%x", sha256.Sum256(packed.Bytes()))
}

// The instructions that check the arguments and download run here, with a program in place of curl.
func TestTheImageIsBuiltOfWhatItsDigestsName(t *testing.T) {
	t.Parallel()
	_, stages := containerfile(t)
	var steps []string
	for _, i := range stages[0].instructions {
		if i.name == "RUN" && !strings.HasPrefix(i.rest, "go build") {
			steps = append(steps, i.rest)
		}
	}
	require.Len(t, steps, 3)
	archive, digest := download(t)
	gomod, err := os.ReadFile(filepath.Join(repository, "go.mod"))
	require.NoError(t, err)

	// build runs the instructions with arguments, and returns their output and the calls of the engine.
	build := func(t *testing.T, arguments map[string]string) (output, installed string, err error) {
		t.Helper()
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), gomod, 0o600))
		require.NoError(t, os.Mkdir(filepath.Join(dir, "path"), 0o700))
		//nolint:gosec // a program
		require.NoError(t, os.WriteFile(filepath.Join(dir, "path", "curl"), []byte("#!/bin/sh\ncp "+archive+" \"$2\"\n"),
			0o700))
		env := append(os.Environ(), "PATH="+filepath.Join(dir, "path")+string(os.PathListSeparator)+os.Getenv("PATH"))
		for name, value := range arguments {
			env = append(env, name+"="+value)
		}
		for _, step := range steps[:2] {
			command := exec.CommandContext(t.Context(), "sh", "-c", step)
			command.Dir, command.Env = dir, env
			text, failure := command.CombinedOutput()
			output += string(text)
			if err = failure; err != nil {
				break
			}
		}
		calls, _ := os.ReadFile(filepath.Join(dir, "installed"))
		return output, string(calls), err
	}
	all := map[string]string{
		"GO_IMAGE": "golang:1.26@sha256:00", "BASE_IMAGE": "debian:stable-slim@sha256:00", "PLUGINS": "required",
		"PULUMI_SHA256": digest, "AWS_SHA256": digest, "KUBERNETES_SHA256": digest,
	}
	with := func(name, value string) map[string]string {
		arguments := maps.Clone(all)
		arguments[name] = value
		return arguments
	}

	t.Run("complete", func(t *testing.T) {
		t.Parallel()
		output, installed, err := build(t, all)
		require.NoError(t, err, output)
		var plugins []string
		for _, m := range regexp.MustCompile(`(?m)^plugin install resource (\S+) (\S+) --file bin/(\S+)$`).FindAllStringSubmatch(installed, -1) {
			plugins = append(plugins, m[1])
			assert.Regexp(t, `(?m)^\tgithub\.com/pulumi/pulumi-`+m[1]+`/sdk/v\d+ `+regexp.QuoteMeta(m[2])+`$`, string(gomod), "the version that the program is built with")
			assert.Contains(t, m[3], "pulumi-resource-"+m[1]+"-"+m[2]+"-linux-")
		}
		wanted := []string{"aws", "kubernetes"}
		if providers := languagehost.Providers(); len(providers) > 0 { // a test binary may be without build information
			wanted = nil
			for _, p := range providers {
				wanted = append(wanted, p.Name)
			}
		}
		assert.ElementsMatch(t, wanted, plugins)
	})
	t.Run("without plugins", func(t *testing.T) {
		t.Parallel()
		arguments := with("PLUGINS", "none")
		arguments["AWS_SHA256"], arguments["KUBERNETES_SHA256"] = "", ""
		output, installed, err := build(t, arguments)
		require.NoError(t, err, output)
		require.Empty(t, installed)
	})
	for _, image := range []string{"GO_IMAGE", "BASE_IMAGE"} {
		t.Run(image, func(t *testing.T) {
			t.Parallel()
			tag, _, _ := strings.Cut(all[image], "@")
			output, _, err := build(t, with(image, tag))
			require.Error(t, err)
			require.Contains(t, output, "--build-arg "+image+"="+tag+"@sha256:... is missing")
		})
	}
	for name, never := range map[string]string{
		"PULUMI_SHA256":     "plugin install",
		"AWS_SHA256":        "resource aws",
		"KUBERNETES_SHA256": "resource kubernetes",
	} {
		for value, message := range map[string]string{
			"":                      "--build-arg " + name + " is missing",
			strings.Repeat("0", 64): "FAILED",
		} {
			t.Run(name+"="+value, func(t *testing.T) {
				t.Parallel()
				output, installed, err := build(t, with(name, value))
				require.Error(t, err)
				require.Contains(t, output, message)
				require.NotContains(t, installed, never)
			})
		}
	}
}
