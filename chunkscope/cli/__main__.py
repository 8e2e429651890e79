"""``python -m chunkscope.cli``, where the script is not on the path."""

from chunkscope.cli.program import main

if __name__ == "__main__":
    main()
