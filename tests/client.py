"""A REST client as a job script would write it, with the standard library only."""

import json
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path
from typing import Any

FINAL = ("done", "failed")


class Client:
    """Sends requests to one portal, with one token."""

    def __init__(self, address: str, token: str) -> None:
        self.address = address
        self.token = token

    def get(self, path: str) -> dict[str, Any]:
        """Return the JSON answer of a page."""
        return self._ask(urllib.request.Request(self.address + path))

    def post(self, path: str) -> dict[str, Any]:
        """Send a POST request and return the answer."""
        return self._ask(urllib.request.Request(self.address + path, method="POST"))

    def patch(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Send a PATCH request and return the answer."""
        headers = {"Content-Type": "application/json"}
        data = json.dumps(body).encode()
        return self._ask(urllib.request.Request(self.address + path, data, headers, method="PATCH"))

    def upload(
        self, application: str, version: str, file: Path, query: str = "", **fields: str
    ) -> dict[str, Any]:
        """Upload the file of a campaign."""
        address = f"/api/v1/applications/{application}/uploads/{query}"
        return self.send("POST", address, file, version=version, **fields)

    def send(self, method: str, path: str, file: Path, **fields: str) -> dict[str, Any]:
        """Send a file as a multipart form."""
        boundary = uuid.uuid4().hex
        parts = [
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
            for name, value in fields.items()
        ]
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{file.name}"\r\n\r\n'
        body = b"".join([*parts, head.encode(), file.read_bytes(), f"\r\n--{boundary}--\r\n".encode()])
        request = urllib.request.Request(
            self.address + path,
            method=method,
            data=body,
            headers={"Content-Type": f"multipart/form-data; boundary={boundary}"},
        )
        return self._ask(request)

    def _ask(self, request: urllib.request.Request) -> dict[str, Any]:
        request.add_header("Authorization", f"Bearer {self.token}")
        with urllib.request.urlopen(request, timeout=60) as answer:
            found: dict[str, Any] = json.load(answer)
            return found

    def wait(self, upload: int, seconds: float = 120) -> dict[str, Any]:
        """Ask until an upload is done or has failed, even if the portal is restarted meanwhile."""
        end = time.monotonic() + seconds
        last: object = None
        while time.monotonic() < end:
            try:
                found = self.get(f"/api/v1/uploads/{upload}/")
                last = found
                if found["state"] in FINAL:
                    return found
            except (urllib.error.URLError, ConnectionError, TimeoutError) as error:
                last = error
            time.sleep(0.1)
        raise AssertionError(f"Upload {upload} was not finished in {seconds} s: {last}")
