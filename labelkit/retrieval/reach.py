"""What a candidate would reach for beyond its own vectors: code, files, servers, keys."""

from __future__ import annotations

from labelkit.retrieval.candidates import Candidate


def reach(candidate: Candidate) -> list[str]:
    """What running a candidate does outside of labelkit, in words; its parts' as well.

    To be read before a candidate file of somebody else's is run.
    """
    functions = (candidate.function, candidate.chunking.function)
    paths = (candidate.document_vectors, candidate.query_vectors, candidate.run_file)
    said = [f"runs the Python function {name}" for name in functions if name]
    said += [f"reads the file {path}" for path in paths if path]
    if candidate.service is not None:
        said.append(_sends("documents and queries", candidate.service.base_url))
        said += _key(candidate.service.key_variable)
    if candidate.http is not None:
        said.append(_sends("the queries", candidate.http.url))
        said += _key(candidate.http.key_variable)
    return [f"{candidate.name} {one}" for one in said] + [
        one for part in candidate.parts for one in reach(part)
    ]


def _sends(what: str, where: str) -> str:
    return f"sends {what} to {where}"


def _key(variable: str) -> list[str]:
    return [f"sends the content of the environment variable {variable} there"] if variable else []
