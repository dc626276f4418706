"""Pages of item writers and managers: the desk, the sheet, the lists, the morals."""
