"""One self-contained HTML page that explains a sweep, and lets people look at every cut."""
