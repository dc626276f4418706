"""Every shape in both languages on light and dark paper: a page of tests, beside those of the site."""
