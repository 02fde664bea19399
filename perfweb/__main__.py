"""Runs the portal's commands, as `perfweb` if it is installed, as `manage.py` in a checkout."""

import argparse
import os
import sys


def main() -> None:
    """Run the command that the arguments name. Wrong settings end it with a sentence."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "perfweb.settings")
    sys.argv[2:] = _without_data_option(sys.argv[2:])
    try:
        from django.core.exceptions import ImproperlyConfigured  # noqa: PLC0415 -- may be missing
        from django.db import OperationalError  # noqa: PLC0415
    except ModuleNotFoundError:
        sys.exit("Django is not installed for this Python: see the command under 'Run' in README.md.")
    try:
        _run()
    except ImproperlyConfigured as error:
        sys.exit(f"A setting is wrong: {error}")
    except OperationalError as error:
        reason, _, _ = str(error).partition("\n")
        sys.exit(f"PostgreSQL cannot be used: {reason.strip()}. DATABASE_URL says where it is.")


def _run() -> None:
    from django.core.management import execute_from_command_line  # noqa: PLC0415 -- may be missing

    if sys.argv[1:2] == ["up"]:
        # `up` starts before the apps are loaded, because the web server loads them at the same time.
        from perfweb.management.commands.up import Command  # noqa: PLC0415

        Command().run_from_argv(sys.argv)
    else:
        execute_from_command_line(sys.argv)


def _without_data_option(arguments: list[str]) -> list[str]:
    """Remove `--data DIR` from the arguments and use it: the settings need it before a command is loaded."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--data")
    known, others = parser.parse_known_args(arguments)
    if known.data:
        os.environ["PERFWEB_DATA"] = known.data
    return others


if __name__ == "__main__":
    main()
