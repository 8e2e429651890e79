"""``python -m chunkscope``: the command."""

import os
import sys

if __name__ == "__main__":
    # Python has put the current folder first, where anybody's files may lie; it goes before anything else is imported
    home = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    if not sys.flags.safe_path and os.path.realpath(sys.path[0]) != home:
        del sys.path[0]
    from chunkscope.cli import main

    main()
