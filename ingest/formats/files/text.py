"""Reads text that may be damaged, or written by an attacker."""

import codecs
import csv
import io
import re
from collections.abc import Iterator
from typing import BinaryIO

from ingest.formats.errors import FormatError, LimitError, quoted
from ingest.formats.limits import Limits

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
PIECE = 256 * 1024
"""Number of bytes that are decoded together."""
BLOCK_BYTES = 64 * 1024
"""Number of bytes whose lines are read together."""
RETURN, LINE_END = "\r", "\r\n"
OVERWRITTEN = re.compile(r"^[^\n\"]*\r(?=[^\r\n])", re.MULTILINE)
"""Matches the part of a line that its end overwrites on a terminal, as progress bars do. Cells in quotes may
contain carriage returns.
"""
ESCAPE = "\x1b"
ESCAPED = re.compile(r"\x1b\[[0-9;:?]{0,40}[ -/]?[@-~]")
"""Matches a sequence that sets colours or moves the cursor of a terminal."""


def line_blocks(file: BinaryIO, limits: Limits) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines of `raw_lines` in blocks, which is faster, each with the number of its first line.

    Raises:
        FormatError: as in `raw_lines`. The lines before the invalid one are yielded first.
    """
    number = blank = 0
    while data := file.read(BLOCK_BYTES):
        data += file.readline(limits.line_bytes + 1)
        lines = _lines_of(data, limits)
        blank_ones = True in map(str.isspace, lines)
        found = sum(line.encode().isspace() for line in lines) if blank_ones else 0
        if not lines or blank + found > limits.unmeasured:  # read line by line to find the error
            lines = []
            try:
                lines.extend(line for _, line in raw_lines(io.BytesIO(data), limits, number, blank))
            except FormatError:
                if lines:
                    yield number + 1, lines
                raise
            found = sum(line.encode().isspace() for line in lines)
        elif not number:
            lines[0] = lines[0].removeprefix(BYTE_ORDER_MARK.decode())
        yield number + 1, lines
        number, blank = number + len(lines), blank + found


def _lines_of(data: bytes, limits: Limits) -> list[str]:
    """Return the lines of a text with their line ends; empty if a line may be invalid."""
    if len(data) > limits.line_bytes or b"\0" in data:
        return []
    try:
        return list(io.StringIO(shown(data.decode()), newline="\n"))
    except UnicodeDecodeError:
        return []


def raw_lines(file: BinaryIO, limits: Limits, number: int = 0, blank: int = 0) -> Iterator[tuple[int, str]]:
    """Yield all lines of a text with their 1-based numbers, as a terminal shows them.

    Args:
        number: number of the previous line.
        blank: number of blank lines before.

    Raises:
        FormatError: a line is too long or not UTF-8, or too many lines are blank.
    """
    while line := file.readline(limits.line_bytes + 1):
        number += 1
        if line.isspace():
            blank += 1
            check_unmeasured(blank, limits, number)
        if len(line) > limits.line_bytes:
            raise FormatError(
                f"a line of over {limits.line_bytes} bytes",
                f"at most {limits.line_bytes} bytes in a line",
                number,
            )
        if b"\0" in line:
            raise FormatError("a null character", "a text file", number)
        if number == 1:
            line = line.removeprefix(BYTE_ORDER_MARK)
        yield number, shown(decoded(line, number))


def shown(text: str) -> str:
    """Return a text as a terminal shows it, without colours and what later parts of lines overwrite."""
    text = ESCAPED.sub("", text) if ESCAPE in text else text
    inside = RETURN in text and text.count(RETURN) > text.count(LINE_END)
    return OVERWRITTEN.sub("", text) if inside else text


def check_unmeasured(lines: int, limits: Limits, number: int) -> None:
    """Refuse a text with too many `lines` without measurements before line `number`.

    Raises:
        FormatError: too many lines contain no measurement.
    """
    if lines > limits.unmeasured:
        found = f"more than {limits.unmeasured} lines without measurements"
        expected = f"at most {limits.unmeasured} such lines; only the lines with measurements are needed"
        raise LimitError(found, expected, number)


def decoded(data: bytes, line: int) -> str:
    """Decode UTF-8. `line` is the number of the first byte's line.

    Raises:
        FormatError: the data are not UTF-8. The message names the wrong byte's line and its position in
            `data`.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise _not_utf8(data, error.start, line) from None


def checked(data: bytes) -> bytes:
    """Return the bytes after checking that they are UTF-8, with little further memory.

    Raises:
        FormatError: as in `decoded`, from line 1.
    """
    decoder, end = codecs.getincrementaldecoder("utf-8")(), 0
    for piece in _pieces(data):
        end += len(piece)
        try:
            decoder.decode(piece, final=end == len(data))
        except UnicodeDecodeError as error:
            raise _not_utf8(data, end - len(error.object) + error.start, 1) from None
    return data


def mended(data: bytes) -> bytes:
    """Return the bytes with replacement characters for all parts that are not UTF-8."""
    try:
        return checked(data)
    except FormatError:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        texts = (decoder.decode(piece) for piece in _pieces(data))
        return b"".join(text.encode() for text in texts) + decoder.decode(b"", final=True).encode()


def _pieces(data: bytes) -> Iterator[bytes]:
    return (data[start : start + PIECE] for start in range(0, len(data), PIECE))


def _not_utf8(data: bytes, place: int, line: int) -> FormatError:
    found = f"the byte 0x{data[place]:02x} at position {place + 1}, which is not UTF-8"
    expected = "a text in UTF-8; spreadsheets save it as “CSV UTF-8”"
    return FormatError(found, expected, line + data.count(b"\n", 0, place))


def csv_cells(line: str, separator: str = ",") -> list[str]:
    """Return the cells of one line of a table. A carriage return inside the line separates nothing."""
    try:
        return next(csv.reader([line.replace("\r", " ")], delimiter=separator), [])
    except csv.Error:  # a cell of over 128 KiB
        return line.split(separator)


def numbers(text: str) -> list[float]:
    """Parse numbers that are separated by white space. They may be infinite or NaN.

    Raises:
        FormatError: a word is not a number.
    """
    try:
        # Python accepts 1_000 and other scripts' digits, files must not have them
        if text.isascii() and "_" not in text:
            return list(map(float, text.split()))
    except ValueError:
        pass
    wrong = next(word for word in text.split() if not _is_number(word))
    raise FormatError(quoted(wrong), "a number")


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return word.isascii() and "_" not in word
