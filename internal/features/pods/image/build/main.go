// Command build assembles the root file system of the image, and prints its size: see docs/appendix/operator.md.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/hypershift-aws/hypershift-aws/internal/features/pods/image"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run() error {
	var o image.Options
	flag.StringVar(&o.Binary, "binary", "bin/hypershift-aws", "the CLI")
	flag.StringVar(&o.EnginePath, "engine", "bin/pulumi", "the engine")
	flag.StringVar(&o.Project, "project", "hypershift-aws",
		"the name of the project under which the backend has the stacks")
	flag.StringVar(&o.Plugins, "plugins", "",
		"the `folder` of the engine's plugins, which must have those of the providers")
	without := flag.Bool("without-plugins", false, "leave the provider plugins out: each pod downloads them")
	root := flag.String("root", "", "the empty `folder` that is filled")
	flag.Parse()
	if *root == "" || (o.Plugins == "") != *without {
		return fmt.Errorf("-root and one of -plugins and -without-plugins are needed")
	}
	var err error
	if o.Providers, err = image.ProvidersOf(o.Binary); err != nil {
		return err
	}
	if err := image.Assemble(*root, o); err != nil {
		return err
	}
	size, err := image.Size(*root)
	if err == nil {
		fmt.Printf("%s: %d MB\n", *root, size/1_000_000)
	}
	return err
}
