package main

import (
	"bytes"
	"runtime/debug"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// sbom returns the CycloneDX list of the modules in a binary, as JSON: those that the linker put in, and the Go standard library.
func sbom(info *debug.BuildInfo, at time.Time) ([]byte, error) {
	bom := cyclonedx.NewBOM()
	main := component(info.Main, cyclonedx.ComponentTypeApplication)
	bom.Metadata = &cyclonedx.Metadata{Timestamp: at.UTC().Format(time.RFC3339), Component: &main}
	components := []cyclonedx.Component{component(debug.Module{Path: "std", Version: info.GoVersion}, cyclonedx.ComponentTypeLibrary)}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		components = append(components, component(*module, cyclonedx.ComponentTypeLibrary))
	}
	bom.Components = &components
	var text bytes.Buffer
	err := cyclonedx.NewBOMEncoder(&text, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
	return text.Bytes(), err
}

func component(module debug.Module, kind cyclonedx.ComponentType) cyclonedx.Component {
	url := "pkg:golang/" + module.Path + "@" + module.Version
	return cyclonedx.Component{BOMRef: url, Type: kind, Name: module.Path, Version: module.Version, PackageURL: url}
}
