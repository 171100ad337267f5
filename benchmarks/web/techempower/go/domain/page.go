package domain

import (
	"html"
	"io"
	"strconv"
)

// WritePage writes the page of the fortunes.
func WritePage(out io.Writer, fortunes []Fortune) error {
	page := []byte(`<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table>` +
		`<tr><th>id</th><th>message</th></tr>`)
	for _, fortune := range fortunes {
		page = append(page, "<tr><td>"...)
		page = strconv.AppendInt(page, int64(fortune.ID), 10)
		page = append(page, "</td><td>"...)
		page = append(page, html.EscapeString(fortune.Message)...)
		page = append(page, "</td></tr>"...)
	}
	_, err := out.Write(append(page, "</table></body></html>"...))
	return err
}
