package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"time"
)

// file is an entry of an archive.
type file struct {
	name    string
	mode    fs.FileMode
	content []byte
}

// archive returns a gzipped tar archive of the files below the folder. Equal files and times give equal bytes.
func archive(folder string, files []file, at time.Time) ([]byte, error) {
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	entries := tar.NewWriter(zip)
	for _, f := range files {
		header := &tar.Header{
			Typeflag: tar.TypeReg, Name: folder + "/" + f.name, Mode: int64(f.mode), Size: int64(len(f.content)),
			ModTime: at, Format: tar.FormatUSTAR,
		}
		if err := entries.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := entries.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(entries.Close(), zip.Close()); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}
