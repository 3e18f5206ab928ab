// Does the task of mcp.system.test.ts with the Go SDK of the protocol.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type withKey struct{ key string }

func (w withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("x-api-key", w.key)
	return http.DefaultTransport.RoundTrip(r)
}

func transport() mcp.Transport {
	if url := os.Getenv("URL"); url != "" {
		client := &http.Client{Transport: withKey{os.Getenv("KEY")}}
		return &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: client}
	}
	return &mcp.CommandTransport{Command: exec.Command("node", os.Getenv("LAUNCHER"), "mcp")}
}

type record struct {
	ID        string `json:"id"`
	Version   int    `json:"version"`
	StageName string `json:"stage_name"`
}

type result struct {
	Record record           `json:"record"`
	Notes  []map[string]any `json:"notes"`
}

func main() {
	ctx := context.Background()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(ctx, transport(), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	call := func(name string, arguments map[string]any) (found result) {
		answer, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: arguments})
		if err != nil {
			log.Fatal(err)
		}
		if answer.IsError {
			log.Fatal(answer.Content[0].(*mcp.TextContent).Text)
		}
		text, _ := json.Marshal(answer.StructuredContent)
		if err := json.Unmarshal(text, &found); err != nil {
			log.Fatal(err)
		}
		return found
	}
	made := call("create_deal", map[string]any{"name": os.Args[1], "pipeline_name": "Sales", "account_domain": "acme.com"}).Record
	won := call("update_deal", map[string]any{"id": made.ID, "version": made.Version, "stage_name": "Won"}).Record
	call("add_note", map[string]any{"request_key": made.ID, "content": "They signed.", "deal_ids": []string{made.ID}})
	notes := call("list_notes", map[string]any{"object": "deal", "key": made.ID}).Notes
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf(`{"tools":%d,"stage":%q,"notes":%d}`+"\n", len(tools.Tools), won.StageName, len(notes))
}
