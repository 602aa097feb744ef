"""The fields of a new drafting run: server and model, limits, and what is drawn."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from labelkit import drafting
from labelkit.drafting import STYLES, WHAT_TO_SET, Decoding, Estimate, Limits, PlanSettings
from labelkit.drafting.endpoint import (
    KEY_VARIABLE,
    MODEL_VARIABLE,
    OPENAI_KEY,
    OPENAI_URL,
    URL_VARIABLE,
)
from labelkit.errors import InputError
from labelkit.ui import heading, navigation, text
from labelkit.ui.frame import Here
from labelkit.wording import counted

SECRETS = (KEY_VARIABLE, URL_VARIABLE, OPENAI_KEY, OPENAI_URL)
_FORMATS = {
    "json_schema": "JSON by a schema, where the server offers it",
    "json_object": "any JSON",
    "text": "free text",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What the fields of the page say."""

    base_url: str
    model: str
    decoding: Decoding
    limits: Limits
    settings: PlanSettings


def fields(here: Here) -> Asked:
    """Draw the fields; raises InputError where two of them do not go together."""
    left, right = st.columns(2, gap="medium")
    with left:
        base_url, model = where(here, "draft")
        if not base_url:
            heading.note("Drafts that were made elsewhere come in as a file, for the same review:")
            navigation.link("import", "Import drafts from a file")
        limits, decoding = limits_and_decoding()
    with right:
        settings = _settings()
    return Asked(base_url, model, decoding, limits, settings)


def where(here: Here, purpose: str) -> tuple[str, str]:
    """The server and the model: as last used for this purpose, else as the environment says."""
    last = next(iter(drafting.runs(here.workspace, purpose)), None)
    environment = environment_with_secrets()
    url = environment.get(URL_VARIABLE) or (last.base_url if last else "")
    named = os.environ.get(MODEL_VARIABLE) or (last.model if last else "")
    base_url = st.text_input(
        "Base URL", url, key="lk_llm_url", placeholder="http://127.0.0.1:11434/v1"
    )
    model = st.text_input("Model", named, key="lk_llm_model", placeholder="as the server calls it")
    _key_line(base_url.strip(), environment)
    return base_url.strip(), model.strip()


def _key_line(base_url: str, environment: Mapping[str, str]) -> None:
    """Whether a key is there for this address; never the key."""
    if not base_url:
        heading.note(
            "Any server that speaks OpenAI's chat protocol: a hosted one, or Ollama, llama.cpp "
            f"or vLLM on this machine. {WHAT_TO_SET}"
        )
    elif drafting.key_for(base_url, environment):
        heading.note("A key for this address is set on the server; it is neither shown nor kept.")
    else:
        heading.note(f"No key is set for this address. {WHAT_TO_SET}")


def environment_with_secrets() -> dict[str, str]:
    """The environment, and over it what Streamlit's secrets say of keys and addresses."""
    found = dict(os.environ)
    if st.secrets.load_if_toml_exists():
        found |= {name: str(st.secrets[name]) for name in SECRETS if name in st.secrets}
    return found


def limits_and_decoding(temperature: float = 0.7, most: int = 600) -> tuple[Limits, Decoding]:
    """What a run may cost, and how the model answers; the two defaults are the purpose's own."""
    total = st.number_input(
        "Stop before this many tokens", 1_000, None, 200_000, 10_000, key="lk_llm_cap"
    )
    with st.expander("Money, speed and decoding"):
        cap = st.number_input("Stop before this much money (0: no cap)", 0.0, key="lk_llm_money")
        price = st.number_input("Price of a million input tokens", 0.0, key="lk_llm_price_in")
        answer = st.number_input("Price of a million output tokens", 0.0, key="lk_llm_price_out")
        at_once = st.number_input("Requests at a time", 1, 64, 4, key="lk_llm_at_once")
        timeout = st.number_input("Seconds for an answer", 5, 3600, 120, key="lk_llm_timeout")
        warmth = st.number_input(
            "Temperature", 0.0, 2.0, temperature, 0.1, key="lk_llm_temperature"
        )
        length = st.number_input("Tokens of a reply, at most", 50, 32_000, most, key="lk_llm_most")
        form = st.selectbox(
            "Reply format", list(_FORMATS), format_func=_FORMATS.__getitem__, key="lk_llm_format"
        )
    priced = price > 0 or answer > 0
    limits = Limits(
        max_tokens_total=int(total),
        max_cost=cap or None,
        input_price=price if priced else None,
        output_price=answer if priced else None,
        concurrency=int(at_once),
        timeout=float(timeout),
    )
    return limits, Decoding(temperature=warmth, max_tokens=int(length), format=form)


def show_estimate(found: Estimate) -> None:
    """What a run would take, in tokens and money."""
    cost = "" if found.cost is None else f"; in money {found.cost:.4f} to {found.most_cost:.4f}"
    requests = counted(found.requests, "request")
    heading.note(
        f"{requests} ({found.cached:,} are answered already), about "
        f"{found.input_tokens:,} input and {found.output_tokens:,} output tokens, at most "
        f"{found.input_tokens + found.most_output_tokens:,} in all{cost}. The estimate of the "
        f"output rests on {found.rests_on}."
    )


def _settings() -> PlanSettings:
    passages = st.number_input("Passages", 1, 10_000, 50, key="lk_plan_passages")
    each = st.number_input("Queries of each passage", 1, 10, 2, key="lk_plan_each")
    default = PlanSettings()
    styles = st.multiselect(
        "Styles", list(STYLES), list(default.styles), key="lk_plan_styles", help=_about_styles()
    )
    languages = st.text_input(
        "Languages (commas between; empty: as the passage)", key="lk_plan_languages"
    )
    shares = st.text_area(
        "Share of each document type (a line each, such as: guide 3; empty: from real queries)",
        key="lk_plan_shares",
        height=68,
    )
    with st.expander("Drawing"):
        seed = st.number_input("Seed", 0, None, 0, key="lk_plan_seed")
        field = st.text_input("Metadata field of the type (empty: found)", key="lk_plan_field")
        shortest = st.number_input("Fewest words of a passage", 1, 1000, 25, key="lk_plan_short")
        longest = st.number_input(
            "Most characters of a passage", 200, 20_000, 2_000, key="lk_plan_long"
        )
    return PlanSettings(
        passages=int(passages),
        per_passage=int(each),
        seed=int(seed),
        styles=tuple(styles),
        languages=tuple(one.strip() for one in languages.split(",") if one.strip()),
        shares=shares_of(shares),
        type_field=field.strip(),
        shortest_words=int(shortest),
        longest_characters=int(longest),
    )


def _about_styles() -> str:
    return text.plain(" · ".join(f"{name}: {what}" for name, what in STYLES.items()))


def shares_of(written: str) -> dict[str, float] | None:
    """Lines such as "guide 3" as shares; None where nothing is written."""
    shares: dict[str, float] = {}
    for line in filter(None, map(str.strip, written.splitlines())):
        name, _, number = line.replace("=", " ").rpartition(" ")
        try:
            shares[name.strip()] = float(number)
        except ValueError:
            raise InputError(f"{line!r}: write a type and its share, such as guide 3.") from None
    return shares or None
