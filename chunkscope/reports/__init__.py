"""How a result is shown: for the terminal, as JSON, CSV and Markdown."""

from chunkscope.reports.json_ import to_json as to_json
from chunkscope.reports.markdown import to_markdown as to_markdown
from chunkscope.reports.tabular import to_csv as to_csv
from chunkscope.reports.text import render_sweep as render_sweep
from chunkscope.reports.why import render_why as render_why
