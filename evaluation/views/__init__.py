"""Pages of measuring: runs, their answers, panels and what people solve."""
