"""Store and delete kept plans."""
