#!/usr/bin/env python3
"""The portal's commands in a checkout; `up` starts everything."""

from perfweb.__main__ import main

if __name__ == "__main__":
    main()
