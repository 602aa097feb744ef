"""A live search service as a candidate: asked once per query over HTTP."""

from __future__ import annotations

import json
import os
import time
from functools import partial
from typing import Any

from labelkit.errors import CandidateError
from labelkit.retrieval.candidate_tables import Http
from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.search import Hit
from labelkit.retrieval.waiting import retry_after

PASSES = (408, 425, 429, 500, 502, 503, 504)
LONGEST_WAIT = 30.0


class HttpSearch:
    """Asks the service of an http candidate; use it as a context manager."""

    def __init__(self, candidate: Candidate) -> None:
        import httpx

        from labelkit.retrieval.punctual import hooks

        if candidate.http is None:
            raise CandidateError(candidate.name, "has no service to ask")
        self.name, self.http = candidate.name, candidate.http
        self._body = self._template()
        self._ids, self._scores = self._compiled(self.http.ids), self._compiled(self.http.scores)
        self._client = httpx.Client(
            timeout=self.http.timeout,
            headers=self._headers(),
            event_hooks=hooks(self.http.timeout),
        )

    def __enter__(self) -> HttpSearch:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def _template(self) -> Any:
        try:
            return json.loads(self.http.body)
        except json.JSONDecodeError as error:
            raise CandidateError(self.name, f"http.body is not JSON: {error}") from error

    def _compiled(self, expression: str) -> Any:
        import jmespath
        from jmespath.exceptions import JMESPathError

        try:
            return jmespath.compile(expression) if expression else None
        except JMESPathError as error:
            raise CandidateError(self.name, f"{expression!r} is no JMESPath: {error}") from error

    def _headers(self) -> dict[str, str]:
        variable = self.http.key_variable
        if not variable:
            return {}
        if not os.environ.get(variable):
            raise CandidateError(
                self.name, f"the environment variable {variable} holds no key; set it first"
            )
        name, _, value = self.http.key_header.partition(":")
        if not name.strip() or "{key}" not in value:
            raise CandidateError(
                self.name,
                f"http.key_header is 'Name: … {{key}}', not {self.http.key_header!r}",
            )
        return {name.strip(): value.strip().replace("{key}", os.environ[variable])}

    def _hidden(self, text: str) -> str:
        key = os.environ.get(self.http.key_variable or "") or ""
        return text.replace(key, "[key removed]") if key else text

    def search(self, query: str, size: int) -> list[Hit]:
        """The documents of one query, best first; raises CandidateError saying what went wrong.

        Offsets are 0: a service does not say which part of a document it matched.
        """
        answer = self._answer(query, size)
        ids = self._listed(self._ids, self.http.ids, answer)
        names = [str(one) for one in ids]
        if len(set(names)) < len(names):
            raise CandidateError(
                self.name,
                f"one answer to {query[:60]!r} names a document twice; let the service collapse "
                "its passages by document",
            )
        scores = self._scores_of(answer, names)
        hits = [Hit(doc_id, score, 0, 0) for doc_id, score in zip(names, scores, strict=True)]
        hits.sort(key=lambda hit: (hit.score, hit.doc_id.encode()), reverse=True)
        return hits[:size]

    def _scores_of(self, answer: Any, names: list[str]) -> list[float]:
        if self._scores is None:
            return [float(len(names) - place) for place in range(len(names))]
        given = self._listed(self._scores, self.http.scores, answer)
        try:
            scores = [float(one) for one in given]
        except (TypeError, ValueError):
            scores = []
        if len(scores) != len(names) or any(score != score for score in scores):
            raise CandidateError(
                self.name, f"{self.http.scores!r} gave no number for each of {len(names)} documents"
            )
        return scores

    def _listed(self, compiled: Any, expression: str, answer: Any) -> list[Any]:
        found = compiled.search(answer)
        if not isinstance(found, list):
            raise CandidateError(
                self.name,
                f"{expression!r} finds no list in the answer, which begins "
                f"{json.dumps(answer, ensure_ascii=False)[:200]}",
            )
        return found

    def _answer(self, query: str, size: int) -> Any:
        """The service's JSON; asked again where waiting may help."""
        import httpx

        from labelkit.retrieval.punctual import within

        for attempt in range(1, self.http.attempts + 1):
            try:
                response = within(self.http.timeout, partial(self._send, query, size))
                response.raise_for_status()
                return response.json()
            except httpx.HTTPStatusError as error:
                again = error.response.status_code in PASSES
                why = f"HTTP {error.response.status_code}: {error.response.text[:200]}"
                wait = retry_after(error.response.headers)
            except httpx.TransportError as error:
                again, why, wait = True, f"{type(error).__name__}: {error}", None
            except ValueError as error:
                again, why, wait = False, f"the answer is not JSON: {error}", None
            if not again or attempt == self.http.attempts:
                where = f"{self.http.url} failed for the query {query[:60]!r}"
                raise CandidateError(self.name, self._hidden(f"{where}: {why}"))
            time.sleep(min(LONGEST_WAIT, 0.5 * 2**attempt if wait is None else wait))
        raise AssertionError("the last attempt returns or raises")

    def _send(self, query: str, size: int) -> Any:
        if self.http.method.upper() == "GET":
            from urllib.parse import quote

            url = self.http.url.replace("{query}", quote(query, safe=""))
            return self._client.get(url.replace("{size}", str(size)))
        return self._client.request(
            self.http.method.upper(), self.http.url, json=filled(self._body, query, size)
        )


def filled(template: Any, query: str, size: int) -> Any:
    """A JSON template with {query} and {size} put into its texts, so that no quote can escape.

    A text that is exactly "{size}" becomes a number.
    """
    if isinstance(template, dict):
        return {key: filled(value, query, size) for key, value in template.items()}
    if isinstance(template, list):
        return [filled(value, query, size) for value in template]
    if template == "{size}":
        return size
    if isinstance(template, str):
        return template.replace("{size}", str(size)).replace("{query}", query)
    return template


def described(http: Http) -> dict[str, Any]:
    """What identifies the service; what it answers is its own affair."""
    return {"service": "http", "url": http.url, "method": http.method, "body": http.body}
