"""Review: would a real user type this, and does this passage answer it best?"""

from labelkit.ui import frame, heading, reviewing, reviewing_sample

with frame.page("review") as here:
    heading.ask("Would a real user type this, and does this passage answer it best?")
    sample = reviewing_sample.standing(here)
    if reviewing_sample.waits_for_choice(sample):
        reviewing_sample.choice(here, sample)
        reviewing.undo_alone(here)
    else:
        only_sample = reviewing_sample.only_sample(sample)
        review = reviewing.draft(here, only_sample=only_sample)
        if review is None:
            reviewing.nothing_left(here)
        else:
            reviewing_sample.scope(sample)
            wording = reviewing.show(here, review)
            reviewing.decide(here, review, wording)
