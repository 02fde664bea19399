"""Pages in a real browser; whole flows, from an upload to its report, are one folder up."""
