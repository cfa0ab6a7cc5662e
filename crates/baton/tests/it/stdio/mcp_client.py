"""Calls every tool of `baton mcp` with the official Python SDK of MCP.

Usage: mcp_client.py PACKAGES BATON CWD. Prints one JSON line per step.
"""

import asyncio
import json
import os
import sys

sys.path.insert(0, sys.argv[1])

from mcp import ClientSession, StdioServerParameters  # noqa: E402
from mcp.client.stdio import stdio_client  # noqa: E402

CALLS = [
    ("get_session_status", {}),
    ("get_workspace_diff", {}),
    ("get_workspace_diff", {"detail": "full"}),
    ("get_recent_activity", {"limit": 5}),
    ("add_review_comment", {"path": "a.txt", "body": "Why two?", "line": 2, "severity": "problem"}),
    ("list_review_comments", {"path": "a.txt"}),
    ("add_review_comment", {"path": "a.txt", "body": "And why one?", "line": 1}),
    ("get_review_comment_stats", {}),
    ("get_issue_context", {}),
    ("start_issue", {}),
    ("update_issue_status", {"status": "in_review"}),
    ("get_workspace_scripts_config", {}),
    ("propose_scripts_config", {"scripts": {"test": "make test"}}),
]

# Bad arguments of every tool come back as results that say so.
BAD = [
    ("get_session_status", {"verbose": True}),
    ("get_workspace_diff", {"detail": "some"}),
    ("get_workspace_diff", {"path": "../elsewhere"}),
    ("get_recent_activity", {"limit": "many"}),
    ("get_recent_activity", {"limit": 101}),
    ("add_review_comment", {"body": "no path"}),
    ("add_review_comment", {"path": "/etc/passwd", "body": "elsewhere"}),
    ("add_review_comment", {"path": "a.txt", "body": "x", "severity": "fatal"}),
    ("list_review_comments", {"limit": 0}),
    ("list_review_comments", {"cursor": "nowhere"}),
    ("resolve_review_comment", {}),
    ("resolve_review_comment", {"id": "nobody's"}),
    ("get_review_comment_stats", {"path": "a.txt"}),
    ("get_issue_context", {"issue": "../x"}),
    ("start_issue", {"branch": "-d"}),
    ("update_issue_status", {}),
    ("update_issue_status", {"status": " "}),
    ("get_workspace_scripts_config", {"file": "x"}),
    ("propose_scripts_config", {"scripts": {"test": 7}}),
    ("propose_scripts_config", {"scripts": {}}),
]


def say(**fields):
    print(json.dumps(fields), flush=True)


async def main():
    server = StdioServerParameters(
        command=sys.argv[2],
        args=["mcp", "--cwd", sys.argv[3], "--linear-issue", "LIN-123", "--target-branch", "main"],
        env=dict(os.environ),
    )
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        told = await session.initialize()
        say(step="initialize", name=told.serverInfo.name, version=told.protocolVersion)
        listed = await session.list_tools()
        say(step="tools", names=[tool.name for tool in listed.tools])
        await session.send_ping()
        for name, arguments in CALLS:
            result = await session.call_tool(name, arguments)
            text = result.content[0].text
            say(step=name, error=bool(result.isError), text=text, data=result.structuredContent)
        first = await session.call_tool("list_review_comments", {"limit": 1})
        cursor = first.structuredContent["next"]
        rest = await session.call_tool("list_review_comments", {"cursor": cursor})
        say(step="rest", error=bool(rest.isError), data=rest.structuredContent)
        for name, arguments in BAD:
            result = await session.call_tool(name, arguments)
            say(step=f"bad {name}", error=bool(result.isError), text=result.content[0].text)
        try:
            await session.call_tool("no_such_tool", {})
            say(step="unknown", error=False, text="")
        except Exception as error:  # The SDK turns protocol errors into exceptions.
            say(step="unknown", error=True, text=str(error))
    say(step="end")


asyncio.run(main())
