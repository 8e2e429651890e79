"""How a result is shown: for the terminal, as JSON, CSV and Markdown."""

from chunkscope.reports.json_report import to_json as to_json
from chunkscope.reports.sweep_csv import to_csv as to_csv
from chunkscope.reports.sweep_markdown import to_markdown as to_markdown
from chunkscope.reports.sweep_text import render_sweep as render_sweep
from chunkscope.reports.why import render_why as render_why
