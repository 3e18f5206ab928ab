// Prints for each library and case whether the library accepts it.
package main

import (
	"encoding/json"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	svix "github.com/svix/svix-webhooks/go"
)

type verifier interface{ Verify([]byte, http.Header) error }

func main() {
	var cases []struct {
		Body    string
		Secret  string
		Headers map[string]string
	}
	file, _ := os.ReadFile(os.Args[1])
	if err := json.Unmarshal(file, &cases); err != nil {
		panic(err)
	}
	accepted := map[string][]bool{}
	for _, one := range cases {
		header := http.Header{}
		for name, value := range one.Headers {
			header.Set(name, value)
		}
		standard, err := standardwebhooks.NewWebhook(one.Secret)
		if err != nil {
			panic(err)
		}
		other, err := svix.NewWebhook(one.Secret)
		if err != nil {
			panic(err)
		}
		for name, library := range map[string]verifier{"standardwebhooks": standard, "svix": other} {
			accepted[name] = append(accepted[name], library.Verify([]byte(one.Body), header) == nil)
		}
	}
	json.NewEncoder(os.Stdout).Encode(accepted)
}
