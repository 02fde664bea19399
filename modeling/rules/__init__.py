"""The short languages that users write: what is expected of kernels, and when a gate refuses a version.

Text becomes plain values, or an error that names the place. What they mean for stored models is not decided
here.
"""
