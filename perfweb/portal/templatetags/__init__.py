"""What templates can say; the work is done by plain functions next door."""
