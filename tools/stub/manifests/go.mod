module github.com/git-pkgs/manifests

go 1.26
