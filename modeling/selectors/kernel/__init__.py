"""Read one kernel: its values, curves, segments, and models of all modelers."""
