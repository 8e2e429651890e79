#!/bin/sh
# The same as github-workflow.yml for any other CI: run it where pyproject.toml or chunkscope.toml is.
# Exit status: 0 all thresholds are met, 1 one is missed, 2 could not look, or nothing was measured.
set -eu
chunkscope check --report junit="${REPORT:-chunkscope.xml}" "$@"
