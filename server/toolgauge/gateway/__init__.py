"""The door to models: adapters of one protocol, each sending one request per call.

Knows nothing of suites, retries, limits or scores. Begin with ``gateway`` (the protocol);
``extract`` reads calls from replies.
"""
