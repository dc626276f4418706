"""The tables of an evaluation as people read them: words in both languages, CSV, Markdown, LaTeX, SVG."""
