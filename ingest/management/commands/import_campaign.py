"""`manage.py import_campaign FILE --application A --version V`: the upload's services, from a shell."""

from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.files.base import File
from django.core.management.base import CommandError, CommandParser

from ingest.models import UNFINISHED, Upload
from ingest.options import EXAMPLE, options_parse
from ingest.services import upload_ingest, upload_receive
from ingest.work import claimed
from perfweb.accounts.models import Project
from perfweb.management.base import PortalCommand


class Command(PortalCommand):
    """Stores a file; models follow as soon as a worker runs."""

    help = "Read a campaign from FILE and store it; the worker of a running portal then models it."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Let `--version` mean the campaign's; Django's own prints Django's."""
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        """Options."""
        parser.add_argument("file", type=Path)
        parser.add_argument("--application", required=True)
        # Django has a --version of its own, which prints Django's.
        parser.add_argument("--version", dest="version_label", required=True, metavar="VERSION")
        parser.add_argument("--project", help="needed where there are several")
        for name in ("commit", "branch", "machine", "campaign", "format"):
            parser.add_argument(f"--{name}", default="")
        parser.add_argument("--options", default="", help=f"of the format, e.g. '{EXAMPLE}'")

    def handle(self, *, file: Path, project: str | None, **options: Any) -> None:
        """Receive and read the file in this process."""
        try:
            with file.open("rb") as opened:
                upload = upload_receive(
                    project=_project(project),
                    application=options["application"],
                    version=options["version_label"],
                    file=File(opened, file.name),
                    user=None,
                    options=options_parse(options["options"]),
                    **{name: options[name] for name in ("commit", "branch", "machine", "campaign", "format")},
                )
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}") from error
        except ValidationError as error:
            raise CommandError("; ".join(error.messages)) from error
        with claimed(Upload.objects.filter(state__in=UNFINISHED), upload.pk) as waiting:
            if waiting:
                upload_ingest(waiting)
        upload.refresh_from_db()
        if upload.state == Upload.State.FAILED:
            raise CommandError((upload.error or {}).get("message", "It failed."))
        self.stdout.write(f"{upload}: {upload.state}, upload {upload.pk}")


def _project(slug: str | None) -> Project:
    found = list((Project.objects.filter(slug=slug) if slug else Project.objects.all())[:2])
    if len(found) == 1:
        return found[0]
    slugs = ", ".join(Project.objects.values_list("slug", flat=True)) or "none yet"
    raise CommandError(f"Name the project with --project; there are: {slugs}.")
