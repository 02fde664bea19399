"""What all work on many kernels needs: limits on its time, and failures that cost only the kernels they hit.

Nothing here knows what the work is; who works on which row is decided in `ingest.work`.
"""
