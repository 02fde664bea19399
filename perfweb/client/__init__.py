"""What job scripts download from the portal: one file, which needs nothing but Python."""
