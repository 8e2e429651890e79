"""From PDF, Word, PowerPoint, Excel, HTML and their like to Markdown, with a manifest that knows the pages.

Only this room imports the converters, and only in a process of their own (`chunkscope.convert.worker`): what crashes or
hangs there takes no run down.
"""
