"""Training: warm-up, quiz and hidden repeats; one's own standing, and what a lead sets up."""

from labelkit.model import Role
from labelkit.ui import frame, heading, training, training_lead

with frame.page("training") as here:
    heading.ask("How do raters get good, and stay so?")
    if Role.LEAD in here.person.roles:
        training_lead.warm_up_part(here)
        training_lead.quiz_part(here)
        training_lead.repeats_part(here)
    if Role.RATER in here.person.roles:
        training.own_page(here)
