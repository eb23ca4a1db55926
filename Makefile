# One target per task. A fresh clone needs only `make demo` and `make test`.

PULUMI_VERSION  = $(shell go list -m -f '{{.Version}}' github.com/pulumi/pulumi/sdk/v3)
TOOLS_INPUT    := tools/go.mod tools/go.sum $(shell find tools/stub -type f)
KUBERNETES_VERSION = $(shell go list -m -f '{{.Version}}' github.com/pulumi/pulumi-kubernetes/sdk/v4)
AWS_VERSION     = $(shell go list -m -f '{{.Version}}' github.com/pulumi/pulumi-aws/sdk/v6)
PLATFORMS      := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
KUBE_VERSION   := 1.34.8
KUBE_OTHERS    := 1.33.12 1.35.4
KUBE_FLAGS      = -s -w $(foreach field,gitVersion=v$(1) gitMajor=$(word 1,$(subst ., ,$(1))) gitMinor=$(word 2,$(subst ., ,$(1))),-X k8s.io/component-base/version.$(field))

.PHONY: build platforms engine pko generate plugin sdks sdk-go sdk-archives publish-dry-run languages browser demo smoke test separable test-all race aws-plugin aws-provider kubernetes-plugin kubernetes-provider conformance fuzz bench image-root man dist release lint prose vulnerabilities fmt tidy clean

build: ## the CLI: bin/hypershift-aws
	@echo "building the CLI as bin/hypershift-aws: about 8 minutes the first time, then seconds"
	go build -buildvcs=auto -ldflags "-s -w" -o bin/hypershift-aws ./cmd/hypershift-aws

platforms: ## the CLI and the plugin compile on each platform of a release; make platforms PLATFORMS=windows/arm64 takes this one
	set -e; for platform in $(PLATFORMS); do echo $$platform; \
		CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/} go build ./cmd/hypershift-aws ./plugin; done

engine: bin/pulumi ## the Pulumi engine as bin/pulumi: the one on PATH if it is recent enough, otherwise built from its pinned module

bin/pulumi: $(TOOLS_INPUT) tools/engine
	@tools/engine $(PULUMI_VERSION)

bin/golangci-lint: tools/lint/go.mod tools/lint/go.sum
	go build -C tools/lint -ldflags "-s -w" -o ../../bin/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint

bin/vale: tools/vale/go.mod tools/vale/go.sum
	go build -C tools/vale -ldflags "-s -w" -o ../../bin/vale github.com/errata-ai/vale/v3/cmd/vale

bin/actionlint bin/govulncheck: tools/check/go.mod tools/check/go.sum
	go build -C tools/check -ldflags "-s -w" -o ../../bin/ $$(go -C tools/check list -f '{{.ImportPath}}' tool | grep '/$(@F)$$')

bin/goreleaser bin/cyclonedx-gomod: tools/release/go.mod tools/release/go.sum
	go build -C tools/release -ldflags "-s -w" -o ../../bin/ $$(go -C tools/release list -f '{{.ImportPath}}' tool | grep '/$(@F)\(/v2\)\?$$')

bin/gotestsum: $(TOOLS_INPUT)
	go build -C tools -ldflags "-s -w" -o ../bin/gotestsum gotest.tools/gotestsum

generate: ## from the structs and their comments, docs/config.md, the JSON Schema of a stack's file, the schema of the Pulumi package and the table in docs/appendix/languages.md; from the commands, docs/commands
	go generate ./stacks/config
	go run -C tools/languages ./examples ../../internal/schema/generate/examples.yaml ../../internal/schema/componentplugin/schema.json ../../internal/schema/generate/examples.json
	go generate ./stacks/config ./internal/cli
	$(MAKE) --no-print-directory sdk-go

plugin: ## the plugin of the Pulumi package: bin/pulumi-resource-hypershift-aws
	go build -buildvcs=auto -ldflags "-s -w" -o bin/pulumi-resource-hypershift-aws ./plugin

sdks: ## the SDKs of the Pulumi package for Node.js, Python, Go and .NET: bin/sdks
	go run -C tools/languages ./sdks ../../internal/schema/componentplugin/schema.json ../../bin/sdks nodejs python go dotnet
	cp internal/schema/componentplugin/schema.json bin/sdks

sdk-go: ## the SDK for Go, which has to be in this repository: sdk/go/hypershiftaws
	go run -C tools/languages ./sdks ../../internal/schema/componentplugin/schema.json ../../bin/sdk go
	rm -rf sdk/go/hypershiftaws && mkdir -p sdk/go && mv bin/sdk/go sdk/go/hypershiftaws && rmdir bin/sdk
	go -C sdk/go/hypershiftaws mod tidy

sdk-archives: sdks bin/typescript/node_modules ## the SDKs as npm, PyPI, NuGet, Maven Central and Go take them: bin/sdkarchives; STRICT=1 fails where a tool of a language is missing
	tools/packsdks $(STRICT)

publish-dry-run: sdk-archives ## what a release publishes, checked by each registry's client, without publishing
	for registry in npm pypi nuget maven go image; do tools/publish $$registry -n || echo "NOT CHECKED: $$registry" >&2; done

bin/pulumi-language-yaml: tools/languages/go.mod tools/languages/go.sum ## the language host of Pulumi YAML, for the test of examples/yaml
	go build -C tools/languages -ldflags "-s -w" -o ../../bin/pulumi-language-yaml github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml

bin/typescript/node_modules: tools/typescript/package.json tools/typescript/package-lock.json
	mkdir -p bin/typescript && cp tools/typescript/package.json tools/typescript/package-lock.json bin/typescript
	npm ci --prefix bin/typescript --ignore-scripts --no-audit --no-fund
	touch $@

languages: engine sdks bin/pulumi-language-yaml bin/typescript/node_modules ## the SDKs and the examples in each language: compiled, type-checked and run offline, as far as this machine has the tools; needs node and npm
	go test ./test/languages -count 1 -v -run 'TestAnExampleAndItsProgramInGo|TestTheExampleIn|TestTheExamplesIn|TestTheExamplesOf|TestTheSDKFor'

bin/browser/node_modules: tools/browser/package.json tools/browser/package-lock.json
	mkdir -p bin/browser && cp tools/browser/package.json tools/browser/package-lock.json bin/browser
	npm ci --prefix bin/browser --ignore-scripts --no-audit --no-fund
	touch $@

browser: bin/browser/node_modules ## the picture in chromium: used with the keyboard alone, in 320 pixels, and without findings of an accessibility checker; needs npm and chromium
	@command -v chromium chromium-browser google-chrome > /dev/null || { echo "NOT TESTED: the picture in a browser, which needs chromium on PATH: apt-get install chromium" >&2; exit 1; }
	go test ./internal/features/picture -count 1 -v -run 'InABrowser|AccessibilityChecker'

demo: engine build ## a hosted cluster and its AWS resources created, changed and deleted, offline
	./examples/demo

smoke: engine build ## one cluster's network and roles in a real account: make smoke ACCOUNT=123456789012 BUDGET=0.50 [REGION=us-east-1]
	tools/smoke "$(ACCOUNT)" "$(BUDGET)" $(REGION)

test: engine bin/gotestsum bin/pulumi-language-yaml ## what a change is tested with: every test at its small size, with the real engine, offline
	@echo "running all tests: 9 to 17 minutes on 2 cores; the last package, test, takes several minutes without a line"
	tools/gotest bin/test.json -timeout 20m ./...

separable: ## removes each feature, one after the other, builds and vets the rest, and prints what a removal edits; make separable FEATURES="relocate picture" takes these two
	go run ./test/separable $(FEATURES)

test-all: engine bin/gotestsum bin/pulumi-language-yaml ## the same tests at their full size: each seed, each call at which a process is killed, each pair of faults, each way of running; hours
	HYPERSHIFT_AWS_TEST=all tools/gotest bin/test-all.json -timeout 24h ./... ; code=$$?; go run ./test/parts bin/test-all.json; exit $$code

race: ## the tests that start no engine, with the race detector
	go test -race ./automation ./components/... ./stacks/... ./internal/aws/... ./internal/cluster/... ./internal/stack/... ./internal/engine/... ./internal/features/... ./internal/gate/... ./internal/offline/... ./internal/plan/...

bin/etcd: tools/conformance/go.mod tools/conformance/go.sum
	go build -C tools/conformance -ldflags "-s -w" -o ../../bin/etcd go.etcd.io/etcd/server/v3

bin/kube-apiserver: tools/conformance/go.mod tools/conformance/go.sum
	@echo "building kube-apiserver $(KUBE_VERSION): about 15 minutes the first time"
	go build -C tools/conformance -ldflags "$(call KUBE_FLAGS,$(KUBE_VERSION))" -o ../../bin/kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver

# The API servers of the minor versions before and after, each from a module file of its own.
.PRECIOUS: bin/kubernetes-%/kube-apiserver
bin/kubernetes-%/kube-apiserver: tools/conformance/kubernetes-%.mod tools/conformance/kubernetes-%.sum bin/etcd
	@echo "building kube-apiserver $*: about 5 minutes the first time"
	go build -C tools/conformance -modfile=kubernetes-$*.mod -ldflags "$(call KUBE_FLAGS,$*)" -o ../../$@ k8s.io/kubernetes/cmd/kube-apiserver
	ln -f bin/etcd $(@D)/etcd

bin/capi/built: tools/capi/go.mod tools/capi/go.sum tools/capi/build tools/capi/admit/main.go
	@echo "building the managers of Cluster API and of its AWS provider: about 15 minutes the first time"
	tools/capi/build bin/capi
	touch $@

pko: ## the Pulumi Kubernetes Operator's manager and agent, from a checkout of its repository: make pko PKO=CHECKOUT
	@test -d "$(PKO)/operator/cmd" || { echo "PKO=$(PKO) is no checkout of pulumi/pulumi-kubernetes-operator" >&2; exit 1; }
	mkdir -p bin/pko
	CGO_ENABLED=0 go build -C "$(PKO)" -ldflags "-s -w" -o $(CURDIR)/bin/pko/agent ./agent
	CGO_ENABLED=0 go build -C "$(PKO)" -ldflags "-s -w" -o $(CURDIR)/bin/pko/manager ./operator/cmd
	cp "$(PKO)/deploy/quickstart/install.yaml" bin/pko
	CGO_ENABLED=0 go build -ldflags "-s -w" -o bin/pko/tini ./test/kubelet/tini

aws-plugin: engine ## the released AWS provider of go.mod's version as bin/plugins/aws, for make conformance AWS_PLUGIN=bin/plugins/aws; needs the network
	PULUMI_HOME=$(CURDIR)/bin/plugins bin/pulumi plugin install resource aws $(AWS_VERSION)
	ln -sfn plugins/resource-aws-$(AWS_VERSION) bin/plugins/aws

aws-provider: ## an AWS provider from public sources, for make conformance AWS_PLUGIN=bin/awsprovider where the released plugin cannot be downloaded
	tools/awsprovider/build bin/awsprovider

kubernetes-plugin: engine ## the released Kubernetes provider of go.mod's version as bin/plugins/kubernetes, for make conformance KUBERNETES_PLUGIN=bin/plugins/kubernetes; needs the network
	PULUMI_HOME=$(CURDIR)/bin/plugins bin/pulumi plugin install resource kubernetes $(KUBERNETES_VERSION)
	ln -sfn plugins/resource-kubernetes-$(KUBERNETES_VERSION) bin/plugins/kubernetes

kubernetes-provider: ## the Kubernetes provider of go.mod's version from a checkout of its repository, where the released plugin cannot be downloaded: make kubernetes-provider PULUMI_KUBERNETES=CHECKOUT
	tools/kubernetesprovider/build "$(PULUMI_KUBERNETES)" bin/kubernetesprovider $(REPLACE)

bin/controllers: tools/conformance/go.mod tools/conformance/go.sum tools/conformance/controllers/main.go
	go build -C tools/conformance -ldflags "-s -w" -o ../../bin/controllers ./controllers

# The judges of make conformance. Each is a target of its own, judge-NAME, so that one that fails hides no other.
JUDGES = apiserver $(KUBE_OTHERS:%=apiserver-%) clusters moto capi $(if $(AWS_PLUGIN),aws) $(if $(KUBERNETES_PLUGIN),kubernetes) $(if $(and $(AWS_PLUGIN),$(KUBERNETES_PLUGIN)),providers) $(if $(HYPERSHIFT),hypershift) $(if $(PKO),operator)

conformance: ## the offline cluster against real API servers of three minor versions (KUBE_OTHERS= leaves two out), the rotation of etcd's key on one, every request to AWS's API against moto, and the networks of stacks of kind capa by Cluster API's managers; with AWS_PLUGIN=FOLDER also the account in memory against an AWS provider, with KUBERNETES_PLUGIN=FOLDER the offline cluster against pulumi-kubernetes, with HYPERSHIFT=CHECKOUT HyperShift's own controllers and the test suites of its definitions, and with PKO=CHECKOUT stacks run by the Pulumi Kubernetes Operator; ARGS=-update writes the table; make judge-NAME runs one of these
	@passed= failed=; for judge in $(JUDGES); do echo "make judge-$$judge"; \
		if $(MAKE) --no-print-directory judge-$$judge; then passed="$$passed $$judge"; else failed="$$failed $$judge"; fi; done; \
	echo "passed:$${passed:- none}"; \
	$(if $(AWS_PLUGIN),,echo "NOT TESTED: the AWS provider: make conformance AWS_PLUGIN=FOLDER, which make aws-plugin downloads or make aws-provider builds" >&2;) \
	$(if $(KUBERNETES_PLUGIN),,echo "NOT TESTED: pulumi-kubernetes: make conformance KUBERNETES_PLUGIN=FOLDER, which make kubernetes-plugin downloads or make kubernetes-provider builds" >&2;) \
	$(if $(and $(AWS_PLUGIN),$(KUBERNETES_PLUGIN)),,echo "NOT TESTED: commands with both providers: make conformance AWS_PLUGIN=FOLDER KUBERNETES_PLUGIN=FOLDER" >&2;) \
	$(if $(HYPERSHIFT),,echo "NOT TESTED: HyperShift's own controllers$(comma) and its test suites as they are now: make conformance HYPERSHIFT=CHECKOUT$(comma) a checkout of openshift/hypershift" >&2;) \
	$(if $(PKO),,echo "NOT TESTED: the Pulumi Kubernetes Operator: make conformance PKO=CHECKOUT$(comma) a checkout of pulumi/pulumi-kubernetes-operator" >&2;) \
	if test -n "$$failed"; then echo "FAILED:$$failed; make judge-NAME runs one again" >&2; exit 1; fi
comma := ,

judge-apiserver: engine bin/etcd bin/kube-apiserver
	go test ./internal/offline/kubernetes -count 1 -run 'TestTheOfflineClusterAnswersAsAnAPIServer|TestARealAPIServer' -conformance $(CURDIR)/bin $(ARGS)
judge-apiserver-%: engine bin/kubernetes-%/kube-apiserver
	go test ./internal/offline/kubernetes -count 1 -run 'TestTheOfflineClusterAnswersAsAnAPIServer|TestARealAPIServer' -conformance $(CURDIR)/bin/kubernetes-$* $(ARGS)
judge-clusters: engine bin/etcd bin/kube-apiserver
	go test ./test/conformance -count 1 -timeout 40m -run RealAPIServer -conformance $(CURDIR)/bin
judge-moto: engine
	@command -v moto_server > /dev/null || { echo "NOT TESTED: requests to AWS's API, which need moto_server on PATH: pip install 'moto[server]'" >&2; exit 1; }
	go test ./internal/features/adopt ./internal/cluster/awsresources ./internal/aws/account ./internal/features/sandbox/inmemory ./internal/features/pods ./internal/features/preflight ./internal/features/sweep ./test/recovery ./test/conformance -count 1 -timeout 30m -run ThroughAWSsAPI
judge-capi: engine bin/etcd bin/kube-apiserver bin/capi/built
	@command -v moto_server > /dev/null || { echo "NOT TESTED: Cluster API's managers, which need moto_server on PATH: pip install 'moto[server]'" >&2; exit 1; }
	go test ./test/capi -count 1 -v -timeout 30m -run ThroughAWSsAPI -conformance $(CURDIR)/bin
judge-aws: engine
	@test -x "$(AWS_PLUGIN)/pulumi-resource-aws" || { echo "NOT TESTED: the AWS provider: AWS_PLUGIN=$(AWS_PLUGIN) has no pulumi-resource-aws; make aws-plugin downloads it to bin/plugins/aws, make aws-provider builds it in bin/awsprovider" >&2; exit 1; }
	@command -v moto_server > /dev/null || { echo "NOT TESTED: the AWS provider, which needs moto_server on PATH: pip install 'moto[server]'" >&2; exit 1; }
	go test ./test/conformance -count 1 -v -parallel 8 -timeout 60m -run 'TestTheAccountInMemoryIsLikeTheAWSProvider|WithAnAWSProvider' -aws-plugin $(abspath $(AWS_PLUGIN))
judge-kubernetes: engine bin/etcd bin/kube-apiserver bin/controllers
	@test -x "$(KUBERNETES_PLUGIN)/pulumi-resource-kubernetes" || { echo "NOT TESTED: pulumi-kubernetes: KUBERNETES_PLUGIN=$(KUBERNETES_PLUGIN) has no pulumi-resource-kubernetes; make kubernetes-plugin downloads it to bin/plugins/kubernetes, make kubernetes-provider builds it in bin/kubernetesprovider" >&2; exit 1; }
	go test ./test/conformance -count 1 -v -timeout 30m -run TestTheOfflineClusterIsLikeTheKubernetesProvider -conformance $(CURDIR)/bin -kubernetes-plugin $(abspath $(KUBERNETES_PLUGIN))
judge-providers: engine bin/etcd bin/kube-apiserver bin/controllers
	@command -v moto_server > /dev/null || { echo "NOT TESTED: commands with both providers, which need moto_server on PATH: pip install 'moto[server]'" >&2; exit 1; }
	go test ./test/conformance -count 1 -v -timeout 30m -run WithBothProviders -conformance $(CURDIR)/bin -kubernetes-plugin $(abspath $(KUBERNETES_PLUGIN)) -aws-plugin $(abspath $(AWS_PLUGIN))
judge-hypershift: engine bin/etcd bin/kube-apiserver
	@test -f "$(HYPERSHIFT)/go.mod" || { echo "NOT TESTED: HyperShift's own controllers: HYPERSHIFT=$(HYPERSHIFT) is no checkout of openshift/hypershift" >&2; exit 1; }
	@command -v moto_server > /dev/null || { echo "NOT TESTED: HyperShift's own controllers, which need moto_server on PATH: pip install 'moto[server]'" >&2; exit 1; }
	tools/hypershift/build $(HYPERSHIFT) bin/hypershift-controllers
	go test ./test/hypershift -count 1 -v -timeout 30m -run 'ThroughAWSsAPI|TestHyperShiftsTestSuites' -conformance $(CURDIR)/bin -hypershift $(abspath $(HYPERSHIFT)) $(ARGS)
judge-operator: engine bin/etcd bin/kube-apiserver pko
	go test ./internal/features/pods ./test/steps -count 1 -v -timeout 30m -run TestThePulumiKubernetesOperator -conformance $(CURDIR)/bin

fuzz: ## half a minute of each fuzz test; `make test` runs their seeds
	go test ./components/network/layout -run NONE -fuzz FuzzVPCCIDRs -fuzztime 30s
	go test ./stacks/config -run NONE -fuzz FuzzStackFiles -fuzztime 30s
	go test ./internal/offline -run NONE -fuzz FuzzPolicyDocuments -fuzztime 30s
	go test ./test/lives -run NONE -fuzz FuzzAcceptedConfigsCanBeDeployed -fuzztime 30s

# SMALL=1 takes the small size of each benchmark of what grows.
SIZE = $(if $(SMALL),(^|_)(50|100|200)_)

bench: BENCH ?= $(if $(SMALL),-rounds 1 -stacks 3 -fleet 4 -scale 0.02 -history "")
bench: engine build ## adds a table of ratios to test/ledgers/bench.md, each of two values measured in the same run; with HYPERSHIFT=CHECKOUT and AWS_PLUGIN=FOLDER also prints one with HyperShift's CLI, against the same emulator; SMALL=1 is a short run of all parts
	go run ./test/bench $(BENCH)
	go test -p 1 -timeout 60m -run NONE -bench './$(SIZE)' -benchtime $(if $(SMALL),1,3)x -benchmem ./internal/aws/account ./internal/engine/state ./internal/features/adopt ./internal/features/fleet ./internal/features/preflight ./internal/features/sweep ./internal/run ./internal/stack/users
	CROWDED=$(if $(SMALL),2,200) go test ./internal/features/adopt -count 1 -v -run CrowdedAccount
ifdef HYPERSHIFT
	tools/hypershift/build $(HYPERSHIFT) bin/hypershift-cli cli
	go test ./test/conformance -count 1 -v -timeout 30m -run TestUpIsComparedWithHyperShiftsCLIThroughAWSsAPI -hypershift-cli $(CURDIR)/bin/hypershift-cli $(if $(AWS_PLUGIN),-aws-plugin $(abspath $(AWS_PLUGIN)))
else
	@echo "NOT MEASURED: HyperShift's CLI: make bench HYPERSHIFT=CHECKOUT AWS_PLUGIN=FOLDER" >&2
endif
ifdef AWS_PLUGIN
	go test ./test/conformance -count 1 -v -run TestTheWayToTheFirstChangeIsMeasuredThroughAWSsAPI -aws-plugin $(abspath $(AWS_PLUGIN))
	ROUNDS=3 go test ./test/conformance -count 1 -v -timeout 60m -run StartedAheadIsMeasured -aws-plugin $(abspath $(AWS_PLUGIN))
else
	@echo "NOT MEASURED: what up asks before its first change, and an AWS provider that starts ahead of its engine: make bench AWS_PLUGIN=FOLDER" >&2
endif

image-root: engine build ## what the Containerfile adds to its base, without the provider plugins, as bin/image; prints its size
	rm -rf bin/image && go run ./internal/features/pods/image/build -root bin/image -without-plugins

man: ## the manual pages: bin/man, for `man -l bin/man/hypershift-aws.1`
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) go run ./cmd/reference man bin/man

dist: engine bin/goreleaser bin/cyclonedx-gomod bin/pulumi-language-yaml sdk-archives ## a snapshot of the release in bin/dist, for this machine's platform: archives of the CLI, of the plugin and of the SDKs, SBOMs, checksums; CLI and plugin are tried
	sed "s/goos: .*/goos: [$$(go env GOOS)]/; s/goarch: .*/goarch: [$$(go env GOARCH)]/" .goreleaser.yaml > bin/goreleaser.yaml
	bin/goreleaser release --snapshot --clean --parallelism 1 -f bin/goreleaser.yaml
	cp bin/sdkarchives/* bin/dist # the checksums are those of all files of the release
	cd bin/dist && sha256sum --check SHA256SUMS
	tools/trydist

release: STRICT := 1
release: bin/goreleaser bin/cyclonedx-gomod sdk-archives ## the files of the release of the tag that is checked out, in bin/dist; the workflow release.yml publishes them
	bin/goreleaser release --clean --parallelism 1 --skip=publish
	cp bin/sdkarchives/* bin/dist # the checksums are those of all files of the release

# Processes are told apart by files of each system, which the linters see for this one alone.
lint: bin/golangci-lint bin/actionlint ## the linters of the code, of the workflows, and, with a C compiler, of the pages, the help and the messages; and whether the rest builds without a feature that has changed
	@if command -v $$(go env CC) > /dev/null; then $(MAKE) --no-print-directory prose; \
	else echo "NOT CHECKED: the pages, the help and the messages, because vale needs a C compiler" >&2; fi
	GOOS=darwin go vet ./internal/engine/state/system_darwin.go
	bin/actionlint -shellcheck= -pyflakes=
	bin/golangci-lint run ./...
	go run ./test/separable -changed

prose: bin/vale ## vale on the pages, the help and the messages of the program
	go run -C tools/vale ./messages ../.. > bin/messages.md
	bin/vale --output line README.md docs test/ledgers bin/messages.md | tee bin/vale.txt; test ! -s bin/vale.txt

vulnerabilities: bin/govulncheck ## known vulnerabilities in what the shipped programs call; needs the network
	bin/govulncheck ./cmd/... ./plugin/...

fmt: bin/golangci-lint
	bin/golangci-lint fmt ./...

tidy:
	go mod tidy
	go -C tools mod tidy
	go -C tools/lint mod tidy
	go -C tools/vale mod tidy
	go -C tools/check mod tidy
	go -C tools/release mod tidy
	go -C tools/languages mod tidy
	go -C sdk/go/hypershiftaws mod tidy
	go -C tools/conformance mod tidy
	set -e; for version in $(KUBE_OTHERS); do go -C tools/conformance mod tidy -modfile=kubernetes-$$version.mod; done
	go -C tools/capi mod tidy

clean: ## removes what the targets above created in this folder
	rm -rf bin .hypershift-aws examples/*/.hypershift-aws
