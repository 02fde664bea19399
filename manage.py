#!/usr/bin/env python3
"""The portal's commands; `up` starts everything."""

import os
import sys


def main() -> None:
    """Run the command that the arguments name."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "perfweb.settings")
    try:
        from django.core.management import execute_from_command_line  # noqa: PLC0415 -- may be missing
    except ModuleNotFoundError:
        sys.exit("Django is not installed for this Python: see the command under 'Run' in README.md.")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
