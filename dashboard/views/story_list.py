"""Page of the list of stories."""

from collections.abc import Sequence

from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from accounts.models import User
from annotation.models import WritingPlaces
from annotation.queries.item import by_story
from annotation.queries.pilot import stories_withheld_from
from annotation.queries.reservation import open_reservations
from annotation.services import record_table_taken_out
from corpus.models import Story
from corpus.queries import TITLE
from corpus.resources import StoryResource
from dashboard.models import Verb
from dashboard.queries.story_list import METADATA, STORIES, in_queue, stories_asked, stories_listing
from dashboard.views.list_page import EXPORT, ListPage
from projects.models import Language, Project
from projects.permissions import Permission, permissions_of
from web.long_list import Action, Asked, Page, excerpt, marked
from web.requests import signed_in

ACTIONS = (
    Action(
        Verb.ASSIGN,
        gettext_lazy("Assign"),
        title=ngettext_lazy("Assign %(n)d story", "Assign %(n)d stories", "n"),
        note=gettext_lazy(
            "The writer sees them on the writing page, even if they are held back. Limits do"
            " not apply. You can undo this until the writer starts."
        ),
        done=ngettext_lazy("%(n)s story assigned to %(name)s.", "%(n)s stories assigned to %(name)s.", "n"),
        asks=("receiver",),
        key="r",
    ),
    Action(
        EXPORT,
        gettext_lazy("Export"),
        title=ngettext_lazy("Export %(n)d story", "Export %(n)d stories", "n"),
        note=gettext_lazy(
            "The file contains the morals."
            " Exporting ends your blind status for the moral items of these stories."
        ),
        for_all=True,
    ),
    Action(
        Verb.HOLD_BACK,
        gettext_lazy("Hold back"),
        done=ngettext_lazy(
            "%(n)s story held back: writers get it only if a manager assigns it or has reserved it for them.",
            "%(n)s stories held back: writers get them only if a manager assigns them or has reserved them"
            " for them.",
            "n",
        ),
        at_once=True,
    ),
    Action(
        Verb.RELEASE,
        gettext_lazy("Make available"),
        done=ngettext_lazy("%(n)s story available to writers.", "%(n)s stories available to writers.", "n"),
        at_once=True,
    ),
    Action(
        Verb.FIRST,
        gettext_lazy("Review first"),
        done=ngettext_lazy(
            "The items of %(n)s story will be reviewed first.",
            "The items of %(n)s stories will be reviewed first.",
            "n",
        ),
        at_once=True,
    ),
    Action(
        Verb.NORMAL,
        gettext_lazy("Normal order"),
        done=ngettext_lazy(
            "The items of %(n)s story will be reviewed in normal order.",
            "The items of %(n)s stories will be reviewed in normal order.",
            "n",
        ),
        at_once=True,
    ),
    Action(
        Verb.GROUP,
        gettext_lazy("Same story"),
        title=ngettext_lazy("Count %(n)d story as one story", "Count %(n)d stories as one story", "n"),
        note=gettext_lazy(
            "They are wordings of one story: in splits, gates and statistics they count as one."
            " Groups that they are in become one. You can undo this."
        ),
        done=ngettext_lazy("%(n)s story grouped.", "%(n)s stories grouped.", "n"),
        for_all=True,
    ),
    Action(
        Verb.RIGHTS,
        gettext_lazy("Rights"),
        title=ngettext_lazy(
            "Set rights and genre of %(n)d story", "Set rights and genre of %(n)d stories", "n"
        ),
        note=gettext_lazy("What you leave empty stays as it is in each story. You can undo this."),
        done=ngettext_lazy(
            "Rights and genre of %(n)s story saved.", "Rights and genre of %(n)s stories saved.", "n"
        ),
        asks=METADATA,
        for_all=True,
    ),
)


def _context(request: HttpRequest, project: Project, asked: Asked, page: Page) -> dict[str, object]:
    """Return the rows of the page's stories, in the page's order.

    The number of statements is constant.
    """
    user, pks = signed_in(request), page.pks
    sees_all = Permission.SEE_STORIES in permissions_of(user, project)
    stories = by_story(project).in_bulk(pks)
    withheld = set() if sees_all else set(stories_withheld_from(user, project))
    held_back, reserved, waiting = set[int](), set[int](), set[int]()
    if sees_all:
        places = WritingPlaces.objects.filter(story__in=pks, is_held_back=True)
        held_back = set(places.values_list("pk", flat=True))
        reserved = set(open_reservations().filter(story__in=pks).values_list("story", flat=True))
        waiting = set(in_queue().filter(story__in=pks).values_list("story", flat=True))

    def row(story: Story) -> dict[str, object]:
        current = story.current
        is_held_back = story.pk in held_back
        hold = Verb.RELEASE if is_held_back else Verb.HOLD_BACK
        return {
            "story": story,
            "title": marked(current.title if current else story.ref, asked.terms),
            "found": excerpt(current.text, asked.terms) if current and asked.scope != TITLE else SafeString(),
            "language": str(dict(Language.choices).get(story.language, story.language)),
            # during a pilot, a writer must not see how many items others wrote about the story
            "is_kept": story.pk in withheld,
            "is_held_back": is_held_back,
            "is_reserved": story.pk in reserved,
            "can": " ".join([Verb.ASSIGN, hold, *([Verb.FIRST, Verb.NORMAL] if story.pk in waiting else [])]),
        }

    return {"rows": [row(stories[pk]) for pk in pks if pk in stories]}


def _tabs(held: Permission) -> list[tuple[str, str]]:
    tabs = [(_("All"), "")]
    if Permission.SEE_STORIES in held:
        tabs += [
            (_("More writers needed"), "writers=lacking"),
            (_("No items yet"), "items=none"),
            (_("Rights unknown"), "rights=unknown"),
            (_("Held back"), "writers=held_back"),
            (_("Reserved"), "writers=reserved"),
        ]
    return tabs


def _record(*, actor: User, project: Project, kind: str, rows: Sequence[int]) -> None:
    morals = Story.objects.filter(pk__in=rows)
    record_table_taken_out(actor=actor, project=project, table=STORIES, kind=kind, morals=morals)


STORY_LIST = ListPage(
    STORIES,
    listing=lambda user, project: stories_listing(
        project, sees_all=Permission.SEE_STORIES in permissions_of(user, project)
    ),
    asked=stories_asked,
    context=_context,
    tabs=_tabs,
    actions=ACTIONS,
    resource=StoryResource,
    label=gettext_lazy("Stories"),
    record=_record,
)
