"""Libraries with which programmers benchmark functions, and tools that collect their results."""
