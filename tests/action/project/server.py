"""The library desk: an MCP server with five tools. Sample data only."""

from __future__ import annotations

from mcp.server import MCPServer

server = MCPServer("library-desk")


@server.tool()
def search_catalog(query: str, language: str = "english") -> list[str]:
    """Find books by title, author or subject, and say which are on the shelf."""
    return [f"{query} ({language})"]


@server.tool()
def reserve_title(title: str) -> str:
    """Put a hold on a book that is lent out, to be picked up when it comes back."""
    return f"reserved {title}"


@server.tool()
def renew_loan(barcode: str) -> str:
    """Extend the due date of something borrowed, so that it may be kept longer."""
    return f"renewed {barcode}"


@server.tool()
def list_fines(card: str) -> list[str]:
    """What a member owes: late fees and unpaid charges on their card."""
    return [f"nothing on {card}"]


@server.tool()
def branch_hours(branch: str, day: str = "monday") -> str:
    """When a branch opens and closes, on weekdays, at the weekend and on holidays."""
    return f"{branch}: 9 to 17 on {day}"


if __name__ == "__main__":
    server.run()
