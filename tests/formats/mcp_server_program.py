"""An MCP server of the plainest kind, over stdio: lists the pages that a file holds.

It knows the protocol of 2025-06-18 alone, and checks nothing of what it lists.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

pages = json.loads(Path(sys.argv[1]).read_text())


def answer(message: dict) -> dict:
    if message["method"] == "initialize":
        info = {"name": "plain", "version": os.environ.get("PLAIN_VERSION", "1")}
        version = "2025-06-18"
        return {
            "result": {
                "protocolVersion": version,
                "capabilities": {"tools": {}},
                "serverInfo": info,
            }
        }
    if message["method"] == "tools/list":
        cursor = (message.get("params") or {}).get("cursor")
        return {"result": pages[int(cursor or 0)]}
    return {"error": {"code": -32601, "message": "Method not found"}}


sys.stderr.write("starting\n")
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        reply = {"jsonrpc": "2.0", "id": asked["id"]} | answer(asked)
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()
