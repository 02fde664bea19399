#!/usr/bin/env python3
"""The portal's commands; `up` starts everything."""

import argparse
import os
import sys


def main() -> None:
    """Run the command that the arguments name."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "perfweb.settings")
    _read_data_option(sys.argv[2:])
    try:
        from django.core.management import execute_from_command_line  # noqa: PLC0415 -- may be missing
    except ModuleNotFoundError:
        sys.exit("Django is not installed for this Python: see the command under 'Run' in README.md.")
    execute_from_command_line(sys.argv)


def _read_data_option(arguments: list[str]) -> None:
    """Every command takes `--data DIR`, and the settings need it before any command is loaded."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--data")
    if given := parser.parse_known_args(arguments)[0].data:
        os.environ["PERFWEB_DATA"] = given


if __name__ == "__main__":
    main()
