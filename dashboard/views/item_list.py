"""Page of the list of items."""

from collections.abc import Sequence

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy, pgettext_lazy

from accounts.models import User
from annotation.resources import ItemResource
from annotation.services import record_key_exposures, record_table_taken_out
from dashboard.models import Verb
from dashboard.queries.item_list import ITEMS, items_asked, items_listing, shows_keys
from dashboard.views.item_row import Row, item_rows
from dashboard.views.list_page import EXPORT, ListPage
from projects.models import Project
from projects.permissions import Permission, permissions_of
from projects.queries import current_types
from web.long_list import Action, Asked, Listing, Page
from web.requests import signed_in

_NOT_VERIFIED = ngettext_lazy(
    "%(n)s selected item is left out: it is not verified.",
    "%(n)s selected items are left out: they are not verified.",
    "n",
)
ACTIONS = (
    Action(
        Verb.RETURN,
        gettext_lazy("Send for re-review"),
        title=ngettext_lazy("Send %(n)d item for re-review", "Send %(n)d items for re-review", "n"),
        note=gettext_lazy(
            "They leave the verified items and are reviewed again."
            " You can undo this for items whose review has not started."
        ),
        left_out=_NOT_VERIFIED,
        done=ngettext_lazy("%(n)s item sent for re-review.", "%(n)s items sent for re-review.", "n"),
        asks=("reason",),
        key="r",
    ),
    Action(
        Verb.SEND_BACK,
        gettext_lazy("Return to writer"),
        title=ngettext_lazy("Return %(n)d item to its writer", "Return %(n)d items to their writers", "n"),
        note=gettext_lazy(
            "They leave the queue, and their writers read your reason."
            " You can undo this for items that their writers have not started to revise."
        ),
        left_out=ngettext_lazy(
            "%(n)s selected item is left out: it is not waiting for a review,"
            " or someone is reviewing it now.",
            "%(n)s selected items are left out: they are not waiting for a review,"
            " or someone is reviewing them now.",
            "n",
        ),
        done=ngettext_lazy(
            "%(n)s item returned to its writer.", "%(n)s items returned to their writers.", "n"
        ),
        asks=("reason",),
    ),
    Action(
        EXPORT,
        gettext_lazy("Export"),
        title=ngettext_lazy("Export %(n)d item", "Export %(n)d items", "n"),
        note=gettext_lazy("The file contains the keys. Exporting ends your blind status for these items."),
        for_all=True,
    ),
    Action(
        Verb.ASSIGN,
        gettext_lazy("Assign"),
        title=ngettext_lazy("Assign %(n)d item", "Assign %(n)d items", "n"),
        note=gettext_lazy(
            "The new writer gets them with their drafts."
            " You can undo this for items that are not resubmitted."
        ),
        left_out=ngettext_lazy(
            "%(n)s selected item is left out: only returned items and drafts can be assigned.",
            "%(n)s selected items are left out: only returned items and drafts can be assigned.",
            "n",
        ),
        done=ngettext_lazy("%(n)s item assigned to %(name)s.", "%(n)s items assigned to %(name)s.", "n"),
        asks=("receiver",),
    ),
    Action(
        Verb.FIRST,
        gettext_lazy("Review first"),
        done=ngettext_lazy("%(n)s item will be reviewed first.", "%(n)s items will be reviewed first.", "n"),
        at_once=True,
    ),
    Action(
        Verb.NORMAL,
        gettext_lazy("Normal order"),
        done=ngettext_lazy(
            "%(n)s item will be reviewed in normal order.",
            "%(n)s items will be reviewed in normal order.",
            "n",
        ),
        at_once=True,
    ),
    Action(
        Verb.RETIRE,
        pgettext_lazy("items", "Retire"),
        title=ngettext_lazy("Retire %(n)d item", "Retire %(n)d items", "n"),
        note=gettext_lazy(
            "Retired items are left out of every later release. You can undo this. For an erratum that"
            " readers of a release see, report the error there, and retire the item in your reply."
        ),
        left_out=_NOT_VERIFIED,
        done=ngettext_lazy("%(n)s item retired.", "%(n)s items retired.", "n"),
        asks=("reason",),
    ),
)


def _listing(user: User, project: Project) -> Listing:
    sees_all = Permission.SEE_ITEMS in permissions_of(user, project)
    return items_listing(project, sees_all=sees_all, kinds=current_types(project))


def _context(request: HttpRequest, project: Project, asked: Asked, page: Page) -> dict[str, object]:
    user = signed_in(request)
    rows = item_rows(user, project, page.pks, asked, list(current_types(project)))
    record_key_exposures(actor=user, items=[row.item.pk for row in rows if row.key])
    return {"rows": rows, "shows_keys": shows_keys(asked)}


def _confirmed(user: User, project: Project, pks: Sequence[int]) -> list[Row]:
    """Return the rows for the confirmation page. Keys that this user has not seen are left out."""
    asked = _listing(user, project).ask_nothing()
    return item_rows(user, project, pks, asked, list(current_types(project)))


def _tabs(held: Permission) -> list[tuple[str, str]]:
    tabs = [(_("All"), ""), (_("Returned"), "state=returned")]
    if Permission.SEE_ITEMS in held:
        tabs += [
            (_("In adjudication"), "state=in_adjudication"),
            (_("Returned for over 7 days"), "state=returned&changed=older7"),
            (_("Verified"), "state=verified"),
        ]
    return tabs


def _record(*, actor: User, project: Project, kind: str, rows: Sequence[int]) -> None:
    record_table_taken_out(actor=actor, project=project, table=ITEMS, kind=kind, keys=rows)


ITEM_LIST = ListPage(
    ITEMS,
    listing=_listing,
    asked=items_asked,
    context=_context,
    tabs=_tabs,
    actions=ACTIONS,
    resource=ItemResource,
    label=gettext_lazy("Items"),
    record=_record,
    confirmed=_confirmed,
)
