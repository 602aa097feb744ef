"""Commands of a draft review: the spot-check sample, what it says, what becomes of the rest."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from labelkit.cli.common import (
    acting_person,
    json_option,
    open_workspace,
    show,
    workspace_option,
)
from labelkit.wording import counted

if TYPE_CHECKING:
    from labelkit.drafting import SampleStanding
    from labelkit.measures import Estimate

person_option = click.option("--person", help="Who does this; default: your user name.")


@click.command()
@workspace_option
@json_option
@click.option("--share", type=int, help="Draw this share of the waiting drafts, in per cent.")
@click.option("--seed", type=int, help="The seed of the draw; default: a random one, recorded.")
@person_option
def sample(
    workspace_path: str, as_json: bool, share: int | None, seed: int | None, person: str | None
) -> None:
    """Draw a spot-check sample of the drafts, or show what the present one says."""
    from labelkit import drafting

    workspace = open_workspace(workspace_path)
    if share is not None:
        drafting.draw(workspace, acting_person(workspace, person), share, seed=seed)
    found = drafting.sample_standing(workspace)
    if found is None:
        show(None, as_json, "No sample was drawn; labelkit draft sample --share 20 draws one.")
    else:
        show(_figures(found), as_json, _text(found))


@click.command()
@workspace_option
@json_option
@click.argument("choice", type=click.Choice(["accept", "hold", "release"]))
@click.option("--note", default="", help="Why; required to accept or hold, kept with the choice.")
@person_option
def rest(workspace_path: str, as_json: bool, choice: str, note: str, person: str | None) -> None:
    """Accept the drafts outside the sample unread, or hold them, or release those held."""
    from labelkit import drafting

    workspace = open_workspace(workspace_path)
    lead = acting_person(workspace, person)
    if choice == "release":
        number = drafting.release_held(workspace, lead)
    else:
        chosen = "accepted" if choice == "accept" else "held"
        number = drafting.settle_outside(workspace, lead, chosen, note=note)
    done = {"accept": "accepted unread", "hold": "held", "release": "released"}[choice]
    show(
        {"drafts": number, "choice": choice},
        as_json,
        f"{counted(number, 'draft')} {done}.",
    )


def _figures(found: SampleStanding) -> dict[str, Any]:
    return {
        **asdict(found.sample),
        **{name: getattr(found, name) for name in ("population", "drawn", "read", "open", "later")},
        "outside": list(found.outside),
        "edited": found.edited,
        "acceptance": asdict(found.rate),
        "by_type": {name: asdict(one) for name, one in found.by_type.items()},
        "by_warning": {name: asdict(one) for name, one in found.by_warning.items()},
    }


def _text(found: SampleStanding) -> str:
    row = found.sample
    lines = [
        f"{row.share} % of {counted(found.population, 'draft')}, seed {row.seed}, drawn by "
        f"{row.drawn_by}: "
        f"{found.read} of {found.drawn} read, {len(found.outside)} outside it wait, "
        f"{found.later} came later.",
        f"accepted {_rate(found.rate)}, {found.edited} of them edited",
    ]
    for title, rates in (("document type", found.by_type), ("warning", found.by_warning)):
        lines += [f"  {title} {name}: {_rate(one)}" for name, one in rates.items()]
    return "\n".join(lines)


def _rate(found: Estimate) -> str:
    from labelkit.drafting.spotcheck import FEWEST

    if found.mean is None:
        return "– (n 0)"
    few = ", too few" if found.n < FEWEST else ""
    return f"{found.mean:.0%} ({found.low:.0%} to {found.high:.0%}, n {found.n}{few})"
