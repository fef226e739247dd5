package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Profile is a bucket's signing profile.
type Profile struct{ Scheme, KeyID, Key, Hostname string }

func encode(text string) string {
	return strings.NewReplacer("+", "%20", "%2F", "/").Replace(url.QueryEscape(text))
}

// SignLink makes a link to a file. Expires is a Unix time in seconds; ip may be empty, tags may be nil.
func SignLink(profile Profile, key string, expires int64, ip string, tags map[string]string) (string, error) {
	secret, err := base64.RawURLEncoding.DecodeString(profile.Key)
	path, query := "/"+encode(key), fmt.Sprintf("expires=%d&kid=%s", expires, profile.KeyID)
	if ip != "" {
		query += "&ip=" + ip
	}
	names := []string{}
	for name := range tags {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		query += "&tag." + name + "=" + encode(tags[name])
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(profile.Scheme + "\n" + path + "\n" + query))
	token := base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	return "https://" + profile.Hostname + path + "?" + query + "&token=" + token, err
}
