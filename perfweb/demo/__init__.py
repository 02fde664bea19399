"""What `--demo` shows: a small application of our own, measured for real over six versions."""
