"""Results as text: one module a report, and what several of them need: numbers, widths, tables, sentences."""
