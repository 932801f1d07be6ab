"""The door for agents: tools, resources and prompts over MCP, by stdio or mounted in a web app.

Knows nothing of HTTP authentication (``web``) and nothing of how runs are carried out
(``service``). The services are imported when a tool first needs them, so that
``initialize`` is answered at once. Begin with ``app``; ``tools_*`` are the tools, one module
per toolset, and ``toolbox`` is what all of them share.
"""
