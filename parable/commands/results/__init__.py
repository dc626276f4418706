"""The tables of an evaluation for people: in both languages, as CSV, Markdown, LaTeX and SVG."""
