"""The words that the rules for follow-ups and query types look for, by language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

QUESTION_WORDS: Mapping[str, str] = {
    "en": "what when where which who whom whose why how is are was were do does did can could "
    "should would will has have may",
    "de": "was wann wo woher wohin welche welcher welches wer wem wen wessen warum wieso weshalb "
    "wie ist sind kann können darf muss soll gibt",
    "fr": "quoi quand où quel quelle quels quelles qui pourquoi comment combien est-ce qu'est-ce",
    "es": "qué cuándo dónde cuál cuáles quién quiénes por cómo cuánto cuánta cuántos cuántas",
}
"""A question may begin with one of these."""

POINTING: Mapping[str, str] = {
    "en": "it its they them their theirs this these those he him his she her hers ones both "
    "former latter",
    "de": "ihn ihm ihnen dies diese dieser dieses diesem diesen davon damit dafür dazu darin "
    "daran darauf dasselbe beide",
    "fr": "il elle ils elles celui celle ceux celles cela ceci",
    "es": "él ella ellos ellas eso esto esa ese esas esos aquello",
}
"""Pronouns and the like, which may stand for something said before. Words that are more often
something else are left out: the German "sie" and "es", the French and Spanish "en" and "y"."""

POINTING_AT_THE_END = frozenset(["that", "there", "one", "same", "das", "dort", "ça", "lo", "so"])
"""These point back where they end the turn, as in "how do I undo that", and seldom before."""

OPENINGS: Mapping[str, str] = {
    "en": "and|or|but|so|then|also|otherwise|what about|how about|what if|and what about|"
    "in that case|any other|anything else|why not|how so|what else|instead",
    "de": "und|oder|aber|also|dann|auch|sonst|und was ist mit|was ist mit|wie sieht es mit|"
    "in dem fall|warum nicht|stattdessen|was noch",
    "fr": "et|ou|mais|alors|aussi|sinon|et pour|dans ce cas|pourquoi pas|quoi d'autre",
    "es": "y|o|pero|entonces|también|si no|y qué tal|qué tal|en ese caso|por qué no|qué más",
}
"""Openings that go on from something said before."""

FUNCTION_WORDS: Mapping[str, str] = {
    "en": "a an the i you we my your our is are was were be been am do does did not no don't "
    "can't cannot won't to of in on at for from with without into by as if when while because "
    "have has had will would could should can may must",
    "de": "der das ein eine einen einem einer ich du wir mein meine ist sind war nicht kein "
    "keine zu von in im am auf für mit ohne aus bei als wenn weil hat habe kann muss wird",
    "fr": "le la les un une des je tu nous mon ma mes est sont était ne pas de du dans sur pour "
    "avec sans par si quand parce ai a ont peut",
    "es": "el la los las un una unos unas yo tú mi mis es son era no de del en para con sin por "
    "si cuando porque he ha han puede",
}
"""Words that make a sentence of keywords."""

NAVIGATION = (
    "login log-in logon signin sign-in signup homepage portal website webpage dashboard intranet "
    "anmeldung startseite webseite connexion accueil acceso portada"
)
"""One of these in a short query asks for a place, not for an answer."""

NAVIGATION_PHRASES = (
    "log in|sign in|sign up|home page|official site|official website|contact page|download page|"
    "my account|mein konto|mon compte|mi cuenta"
)

MONTHS = (
    "january february march april may june july august september october november december "
    "januar februar märz mai juni juli oktober dezember janvier février mars avril juin juillet "
    "août septembre octobre novembre décembre enero febrero marzo mayo junio julio agosto "
    "septiembre octubre noviembre diciembre"
)
RELATIVE_DATES = (
    "today|yesterday|tomorrow|tonight|currently|latest|newest|recent|recently|upcoming|"
    "(?:this|last|next|past) (?:day|week|weekend|month|quarter|year|summer|winter|spring)|"
    "(?:last|past) \\d+ (?:days|weeks|months|years)|"
    "heute|gestern|morgen|aktuell|aktuelle|neueste|neuesten|"
    "(?:letzte|letzten|nächste|nächsten|diese|diesen|dieses) (?:woche|monat|quartal|jahr)|"
    "aujourd'hui|hier|demain|récent|hoy|ayer|mañana|reciente"
)


def every(words: Mapping[str, str]) -> frozenset[str]:
    """The words of all languages."""
    return frozenset(word for listed in words.values() for word in listed.split())


def any_of(phrases: Iterable[str], end: str = r"(?!\w)") -> re.Pattern[str]:
    """A pattern for any of these phrases, longest first, as whole words."""
    longest = sorted({one for listed in phrases for one in listed.split("|")}, key=len)[::-1]
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))}){end}")
