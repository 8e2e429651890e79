"""``python -m chunkscope``: the command."""

from chunkscope.cli import main

if __name__ == "__main__":
    main()
