"""Small logs and conversations that a person can count."""

from __future__ import annotations

import json

LOG = """\
time,session,query,count,clicked,filters
2026-01-05T10:00:00,s1,Reset Password,1,d1,lang=en
2026-01-06T10:00:00,s2,reset  password,1,d1,
2026-02-01T10:00:00,s2,RESET PASSWORD,3,d2,
2026-01-07T10:00:00,s3,printer offline,2,d3,
2026-01-08T10:00:00,s4,printer offline for jane@example.org,1,d3,
2026-01-09T10:00:00,s5,ORA-00942 after update,1,gone,
2026-01-09T11:00:00,s6,,1,,
"""

TALK = [
    ("a", "user", "how do I write a csv file"),
    ("a", "assistant", "Use csv.writer."),
    ("a", "user", "and with a header?"),
    ("b", "user", "reset the password of bob@example.org"),
    ("b", "assistant", "Done."),
    ("b", "user", "thanks, how do I change the printer in the office on floor two"),
]


def talk_csv() -> bytes:
    """The conversations, a row a turn."""
    rows = "".join(f'{c},{role},"{text}"\n' for c, role, text in TALK)
    return f"conversation_id,role,text\n{rows}".encode()


def talk_jsonl() -> bytes:
    """The same, a row a conversation, as chat logs are written."""
    found: dict[str, list[dict[str, str]]] = {}
    for name, role, text in TALK:
        found.setdefault(name, []).append({"role": role, "content": text})
    rows = [json.dumps({"id": name, "messages": turns}) for name, turns in found.items()]
    return ("\n".join(rows) + "\n").encode()
