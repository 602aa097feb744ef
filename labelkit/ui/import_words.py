"""The messages of an import speak of the command line's options; on a page they are fields."""

from __future__ import annotations

import re

EXAMPLE_OF_LEVELS = re.compile(r", such as --levels \S+")

READ_AS = {
    "--header-row LINE": "“Header line”",
    "--header-row": "“Header line”",
    "--encoding": "“Encoding”",
    "--format ": "“Format”: ",
    "--format": "“Format”",
    "--quote ": "“Quotes”: ",
    "--sheet": "“Sheet”",
}
"""Options of how a file is read, and the fields under “How the file is read”."""

WHERE = "The field stands under “How the file is read”."

ELSEWHERE = {
    "labelkit import queries --ids from-text": "as queries, with “There are no ids” ticked",
    "say --query-ids by-position": "tick “The query numbers count the queries”",
    "(--unknown skip)": "(tick “Leave out rows that point to queries or documents …”)",
    "(--ids from-text)": "(tick “There are no ids”)",
    "say --levels as-is,blank": "use labelkit import judgments --levels as-is,blank",
    "say --levels binary (1 is read as level 2)": "choose level 2 for it under “Grades”",
    "level 1, say --levels as-is": "level 1, choose 1",
}


def on_page(message: str) -> str:
    """The message with the page's fields in place of options, and where to find them."""
    for option, field in ELSEWHERE.items():
        message = message.replace(option, field)
    message = EXAMPLE_OF_LEVELS.sub(" under “Grades”", message)
    read_as = message
    for option, field in READ_AS.items():
        read_as = read_as.replace(option, field)
    return message if read_as == message else f"{read_as} {WHERE}"
