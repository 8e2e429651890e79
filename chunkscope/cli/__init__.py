"""The command line: reads what was asked, calls the library, and says how it went. It computes nothing."""

from chunkscope.cli.program import main as main
