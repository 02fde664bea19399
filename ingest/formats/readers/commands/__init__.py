"""Tools that start a command, and measure it as a whole: time, hyperfine and perf stat."""
