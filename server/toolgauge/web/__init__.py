"""The door over HTTP: MCP at ``/mcp`` and ``/healthz``, behind tokens and checked headers.

Knows nothing of runs. Begin with ``app``; ``auth`` says who is asking.
"""
