package domain

import (
	"strings"
	"testing"
)

func TestMessagesAreEscaped(t *testing.T) {
	var page strings.Builder
	if err := WritePage(&page, []Fortune{{11, `<b>"Tom" & 'J'</b>`}, {12, "フレームワーク"}}); err != nil {
		t.Fatal(err)
	}
	rows := "<tr><td>11</td><td>&lt;b&gt;&#34;Tom&#34; &amp; &#39;J&#39;&lt;/b&gt;</td></tr>" +
		"<tr><td>12</td><td>フレームワーク</td></tr></table></body></html>"
	if !strings.HasSuffix(page.String(), rows) {
		t.Errorf("the page is %s", page.String())
	}
}
