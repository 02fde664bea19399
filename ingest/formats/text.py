"""Reading text from people who may be careless or hostile."""

from collections.abc import Iterator
from typing import BinaryIO

from ingest.formats.errors import FormatError, quoted
from ingest.formats.limits import Limits

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def raw_lines(file: BinaryIO, limits: Limits) -> Iterator[tuple[int, str]]:
    """All lines of a text with their 1-based numbers, as they stand there.

    Raises:
        FormatError: a line is too long or not UTF-8.
    """
    number = 0
    while line := file.readline(limits.line_bytes + 1):
        number += 1
        if len(line) > limits.line_bytes:
            raise FormatError(f"a line of over {limits.line_bytes} bytes", "shorter lines", number)
        if number == 1:
            line = line.removeprefix(BYTE_ORDER_MARK)
        yield number, decoded(line, number)


def decoded(data: bytes, line: int) -> str:
    """UTF-8 as text; `line` is that of the first byte.

    Raises:
        FormatError: it is not UTF-8; names the byte's line and its place in `data`.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        where = line + data.count(b"\n", 0, error.start)
        found = f"the byte 0x{data[error.start]:02x} at position {error.start + 1}, which is not UTF-8"
        raise FormatError(found, "a text in UTF-8", where) from None


def numbers(text: str) -> list[float]:
    """Numbers separated by white space, which may yet be infinite or none (NaN).

    Raises:
        FormatError: a word is no number.
    """
    try:
        if (
            text.isascii() and "_" not in text
        ):  # Python takes 1_000 and other scripts' digits, nobody else does
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
