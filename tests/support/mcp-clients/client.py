"""Does the task of mcp.system.test.ts with fastmcp, and converts the tools as google-genai does."""
import asyncio, json, os, sys
from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from google.genai import _mcp_utils

async def main(name):
    if "URL" in os.environ:
        transport = StreamableHttpTransport(os.environ["URL"], headers={"x-api-key": os.environ["KEY"]})
    else:
        transport = StdioTransport("node", [os.environ["LAUNCHER"], "mcp"], env=dict(os.environ))
    async with Client(transport) as client:
        async def call(tool, **arguments):
            return (await client.call_tool(tool, arguments)).structured_content
        made = await call("create_deal", name=name, pipeline_name="Sales", account_domain="acme.com")
        record = made["record"]
        won = await call("update_deal", id=record["id"], version=record["version"], stage_name="Won")
        await call("add_note", request_key=record["id"], content="They signed.", deal_ids=[record["id"]])
        notes = await call("list_notes", object="deal", key=record["id"])
        tools = await client.list_tools()
        gemini = _mcp_utils.mcp_to_gemini_tools(tools)
        print(json.dumps({"tools": len(tools), "gemini": len(gemini), "stage": won["record"]["stage_name"], "notes": len(notes["notes"])}))

asyncio.run(main(sys.argv[1]))
