package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var committed = time.Unix(1_700_000_000, 0)

func TestEqualFilesGiveEqualArchives(t *testing.T) {
	t.Parallel()
	files := []file{{"hypershift-aws", 0o755, []byte("binary")}, {"man/man1/hypershift-aws.1", 0o644, []byte("page")}}
	first, err := archive("hypershift-aws_v1", files, committed)
	require.NoError(t, err)
	second, err := archive("hypershift-aws_v1", files, committed)
	require.NoError(t, err)
	require.Equal(t, first, second)

	zip, err := gzip.NewReader(bytes.NewReader(first))
	require.NoError(t, err)
	require.True(t, zip.ModTime.IsZero())
	entries := tar.NewReader(zip)
	for _, want := range files {
		header, err := entries.Next()
		require.NoError(t, err)
		require.Equal(t, "hypershift-aws_v1/"+want.name, header.Name)
		require.Equal(t, want.mode, header.FileInfo().Mode())
		require.True(t, header.ModTime.Equal(committed))
		content, err := io.ReadAll(entries)
		require.NoError(t, err)
		require.Equal(t, want.content, content)
	}
}

func TestTheSBOMListsTheModulesInTheBinary(t *testing.T) {
	t.Parallel()
	text, err := sbom(&debug.BuildInfo{
		GoVersion: "go1.26.0",
		Main:      debug.Module{Path: "example.com/cli", Version: "v1.2.3"},
		Deps: []*debug.Module{
			{Path: "example.com/a", Version: "v0.1.0"},
			{Path: "example.com/b", Version: "v0.2.0", Replace: &debug.Module{Path: "example.com/fork", Version: "v0.3.0"}},
		},
	}, committed)
	require.NoError(t, err)
	var bom struct {
		BOMFormat  string
		Metadata   struct{ Component struct{ PURL string } }
		Components []struct{ PURL string }
	}
	require.NoError(t, json.Unmarshal(text, &bom))
	require.Equal(t, "CycloneDX", bom.BOMFormat)
	require.Equal(t, "pkg:golang/example.com/cli@v1.2.3", bom.Metadata.Component.PURL)
	var components []string
	for _, c := range bom.Components {
		components = append(components, c.PURL)
	}
	require.Equal(t, []string{"pkg:golang/std@go1.26.0", "pkg:golang/example.com/a@v0.1.0", "pkg:golang/example.com/fork@v0.3.0"}, components)
}
