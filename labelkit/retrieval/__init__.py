"""Retrieval: candidates, chunking, encoders, the embedding cache and exact search.

Importing this package loads neither torch nor faiss; the functions that need them do.
"""

from labelkit.retrieval.candidate_files import (
    candidate_from_dict,
    load_candidates,
    parse_candidates,
)
from labelkit.retrieval.candidates import Candidate, default_candidates
from labelkit.retrieval.chunking import Chunking
from labelkit.retrieval.pooling import SOURCE_DOCUMENT, PooledPair, pool
from labelkit.retrieval.request import Retrieval, query_text
from labelkit.retrieval.retrieve import retrieve
from labelkit.retrieval.search import Hit

__all__ = [
    "SOURCE_DOCUMENT",
    "Candidate",
    "Chunking",
    "Hit",
    "PooledPair",
    "Retrieval",
    "candidate_from_dict",
    "default_candidates",
    "load_candidates",
    "parse_candidates",
    "pool",
    "query_text",
    "retrieve",
]
