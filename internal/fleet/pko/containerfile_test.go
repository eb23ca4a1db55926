package pko

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	imageroot "github.com/hypershift-aws/hypershift-aws/internal/pod/image"
	"github.com/hypershift-aws/hypershift-aws/internal/pod/languagehost"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// repository is the folder of the project, which is the context of the image's build.
var repository = filepath.Join("..", "..", "..")

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
			last.instructions = append(last.instructions, instruction{name, strings.Join(strings.Fields(rest), " ")})
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

	engine := regexp.MustCompile(`(?m)^PULUMI_VERSION := (\S+)$`).FindStringSubmatch(string(makefile))
	require.NotNil(t, engine)

	run := build.all("RUN")
	assert.Contains(t, run, `echo "$PULUMI_SHA256 /tmp/$archive" | sha256sum --check`)
	assert.NotContains(t, run, "make engine", "that engine is for the demo and the tests")
	for _, folder := range regexp.MustCompile(`\./\S+`).FindAllString(run, -1) {
		assert.FileExists(t, filepath.Join(repository, folder, "main.go"))
	}
	for _, target := range regexp.MustCompile(`make (\S+)`).FindAllStringSubmatch(run, -1) {
		assert.Regexp(t, `(?m)^`+target[1]+`:`, string(makefile))
	}
	assert.Contains(t, build.all("ENV"), "CGO_ENABLED=0", "the programs run without the builder's libraries")

	// The plugins are those of the program, at its versions.
	var plugins []string
	for _, m := range regexp.MustCompile(`plugin install resource (\S+) "\$\(go list -m -f '\{\{\.Version\}\}' (\S+)\)"`).FindAllStringSubmatch(run, -1) {
		plugins = append(plugins, m[1])
		assert.Regexp(t, `(?m)^\t`+regexp.QuoteMeta(m[2])+` v\S+$`, string(gomod), "a module that the program is built with")
		assert.Contains(t, m[2], "pulumi-"+m[1]+"/sdk")
	}
	var wanted []string
	for _, p := range languagehost.Providers() {
		wanted = append(wanted, p.Name)
	}
	if len(wanted) == 0 { // a test binary may be without build information
		wanted = []string{"aws", "kubernetes"}
	}
	assert.ElementsMatch(t, wanted, plugins)

	// Package image makes what the image takes: what is not in the workspace cannot be written by its user.
	assert.Equal(t, 2, strings.Count(run, "go run ./internal/pod/image/build -root /out/image"))
	assert.Contains(t, run, "-plugins /out/home/plugins")
	assert.Contains(t, build.all("ENV"), "PULUMI_HOME=/out/home")
	assert.Equal(t, "--from=build /out/image/usr/ /usr/\n--from=build --chown=1000:1000 /out/image/workspace/ /workspace/", image.all("COPY"))
	assert.Contains(t, run, `*@sha256:*) ;;`, "an image without its digest is refused")
	assert.Equal(t, "GO_IMAGE\nBASE_IMAGE\nPROJECT="+config.ProjectName+"\nPLUGINS=required\nPULUMI_VERSION="+engine[1]+"\nPULUMI_SHA256", build.all("ARG"))
	assert.Equal(t, "1000", image.all("USER"))
	assert.Equal(t, "/"+imageroot.Program, image.all("WORKDIR"))
	for _, variable := range []string{"HOME=/" + imageroot.Home, "PULUMI_HOME=/" + imageroot.Home + "/.pulumi", "TMPDIR=/" + imageroot.Temporary} {
		assert.Contains(t, strings.Fields(image.all("ENV")), variable)
	}
	assert.NotContains(t, image.all("RUN"), "golang")

	ignored, err := os.ReadFile(filepath.Join(repository, ".containerignore"))
	require.NoError(t, err)
	assert.Contains(t, strings.Fields(string(ignored)), "bin", "an engine of another machine must not get into the build")
}
