"""The GitHub Action: a thin client of the engine that gates pull requests."""
