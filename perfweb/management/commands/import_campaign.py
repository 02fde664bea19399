"""`manage.py import_campaign FILE --application A --version V` stores a file as an upload does."""

import csv
import os
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.files.base import File
from django.core.management.base import CommandError, CommandParser

from ingest.fields.options import OPTIONS_EXAMPLE, options_parse
from ingest.formats import FormatError
from ingest.formats.campaign.sent_points import place_parse
from ingest.models import UNFINISHED, Upload
from ingest.services import upload_ingest, upload_receive
from ingest.work import claimed
from modeling.services.models.modelers import ModelerError, modelers_parse
from perfweb.accounts.models import Project
from perfweb.management.base import PortalCommand

FIELDS = ("commit", "branch", "machine", "campaign", "format")


class Command(PortalCommand):
    """Stores files; they are modelled as soon as a worker runs."""

    help = "Read campaigns from FILEs and store them; the worker of a running portal then models them."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Let `--version` mean the campaign's version; Django's option would print Django's version."""
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the options of the command."""
        parser.add_argument(
            "files", nargs="+", type=Path, metavar="FILE", help="a file, or a folder, which is packed"
        )
        parser.add_argument(
            "--application", required=True, help="its slug, or a name from which the slug is made"
        )
        parser.add_argument("--version", dest="version_label", required=True, metavar="VERSION")
        parser.add_argument("--project", help="needed if there are several projects")
        for name in FIELDS:
            parser.add_argument(f"--{name}", default="")
        parser.add_argument("--options", default="", help=f"options of the format, e.g. '{OPTIONS_EXAMPLE}'")
        parser.add_argument(
            "--point", default="", help="'p=64, n=100', or a pattern of the files' paths: 'run_p{p}_n{n}'"
        )
        parser.add_argument(
            "--modelers", default="", help="e.g. 'evidence, adaptive'; pages show the first one"
        )
        parser.add_argument("--table", type=Path, help="points of the files, in CSV: columns file, p, n, …")

    def handle(self, *, files: list[Path], project: str | None, **options: Any) -> None:
        """Receive and read the files in this process."""
        try:
            points = _points(files, options["point"], options["table"])
            if len(files) > 1 and any(points) and not options["campaign"]:
                raise CommandError("Name the campaign to which these points belong, with --campaign.")
        except FormatError as error:
            raise CommandError(str(error)) from error
        found = _project(project)
        wrong = [self._import(file, point, found, options) for file, point in zip(files, points, strict=True)]
        if any(wrong):
            raise CommandError("\n".join(filter(None, wrong)))

    def _import(self, file: Path, point: str, project: Project, options: dict[str, Any]) -> str:
        """Store one file; return the error, or an empty text."""
        try:
            with _opened(file) as opened:
                upload = upload_receive(
                    project=project,
                    application=options["application"],
                    version=options["version_label"],
                    file=opened,
                    user=None,
                    options=options_parse(options["options"]),
                    point=point,
                    modelers=modelers_parse(options["modelers"]),
                    **{name: options[name] for name in FIELDS},
                )
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}") from error
        except ModelerError as error:
            raise CommandError(str(error)) from error
        except ValidationError as error:
            raise CommandError("; ".join(error.messages)) from error
        with claimed(Upload.objects.filter(state__in=UNFINISHED), upload.pk) as waiting:
            if waiting:
                upload_ingest(waiting)
        upload.refresh_from_db()
        if upload.state == Upload.State.FAILED:
            return str((upload.error or {}).get("message", f"{file} failed."))
        self.stdout.write(f"{upload}: {upload.state}, upload {upload.pk}")
        for note in upload.notes:
            self.stdout.write(f"  {note}")
        return ""


@contextmanager
def _opened(path: Path) -> "Iterator[File[bytes]]":
    """Open a file, or a folder as a tar file of its content."""
    if not path.is_dir():
        with path.open("rb") as file:
            yield File(file, path.name)
        return
    with tempfile.TemporaryFile() as packed:
        with tarfile.open(fileobj=packed, mode="w") as archive:
            archive.add(path, arcname=path.resolve().name)
        packed.seek(0)
        yield File(packed, f"{path.resolve().name}.tar")


def _points(files: list[Path], point: str, table: Path | None) -> list[str]:
    """Return the point of each file, as the field `point` of an upload contains it.

    Raises:
        FormatError: a point is invalid.
        CommandError: the table lacks a file.
    """
    if table is None:
        return [_point(file, point) for file in files]
    with table.open(newline="", encoding="utf-8-sig") as opened:
        rows = {os.path.normpath(row.pop("file", "")): row for row in csv.DictReader(opened)}
    found = [rows.get(os.path.normpath(file)) or rows.get(file.name) for file in files]
    if None in found:
        raise CommandError(f"{table} has no row whose column “file” is {files[found.index(None)]}.")
    return [", ".join(f"{name}={value}" for name, value in row.items() if value) for row in found if row]


def _point(file: Path, text: str) -> str:
    """Apply a pattern to the file's path; if it does not match, keep it for the files in the archive."""
    place = place_parse(text)
    if place.pattern is None or not place.pattern.search(str(file)):
        return text
    return ", ".join(f"{name}={value:.15g}" for name, value in place.of(str(file)).items())


def _project(slug: str | None) -> Project:
    found = list((Project.objects.filter(slug=slug) if slug else Project.objects.all())[:2])
    if len(found) == 1:
        return found[0]
    slugs = ", ".join(Project.objects.values_list("slug", flat=True)) or "none yet"
    raise CommandError(f"Name the project with --project; there are: {slugs}.")
