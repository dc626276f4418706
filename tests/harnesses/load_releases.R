# Loads releases with jsonlite as docs/releases.md says, and prints the rows that it sees as JSON:
# {RELEASE: {FILE: [ROW, ...]}}, each text as the hexadecimal digits of its bytes.
#
# Run with Rscript: load_releases.R FOLDER
library(jsonlite)

hexadecimal <- function(texts) {
  vapply(enc2utf8(texts), function(text) paste(charToRaw(text), collapse = ""), "", USE.NAMES = FALSE)
}

loaded <- function(path) {
  rows <- stream_in(file(path), simplifyVector = FALSE, verbose = FALSE)
  rapply(rows, hexadecimal, classes = "character", how = "replace")
}

releases <- list.dirs(commandArgs(trailingOnly = TRUE)[1], recursive = FALSE)
seen <- lapply(releases, function(release) {
  files <- list.files(release, "\\.jsonl$", recursive = TRUE)
  files <- files[!startsWith(files, "instruction/")]
  setNames(lapply(file.path(release, files), loaded), files)
})
cat(toJSON(setNames(seen, basename(releases)), auto_unbox = TRUE, null = "null"), "\n")
