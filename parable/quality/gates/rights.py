"""A gate that checks whether the rights of every story are known."""

from typing import ClassVar

from parable.quality.gates.base import ERROR, NOT_APPLICABLE, OK, Gate, GateResult, ItemSet
from parable.sentences import gettext_noop as _
from parable.sentences import ngettext_noop


class Rights(Gate):
    """Find stories with unknown rights: an error; not applicable if the files have no such field."""

    id: ClassVar = "rights"
    name: ClassVar = _("Rights of the stories")
    looks_at: ClassVar = _("Stories whose rights are not stated.")
    needs: ClassVar = _("It needs a field with the rights to each story.")
    why: ClassVar = _(
        "A benchmark is released with its stories. No one can use it safely if their rights are unknown."
    )
    fix: ClassVar = _("State the rights of each story on its page, with evidence.")
    unit: ClassVar = ngettext_noop("%(n)d story unknown", "%(n)d stories unknown")
    story_field: ClassVar = "rights"

    def judge(self, items: ItemSet) -> list[GateResult]:
        """Return one result for all tasks; the figure is the number of stories whose rights are unknown."""
        if items.rights is None:
            return [GateResult(self.id, None, NOT_APPLICABLE, looked_at=len(items.items))]
        rights = items.rights
        open_items = [item for item in items.items if not rights.get(item.story_id or "", "")]
        unknown = {item.story_id for item in open_items}
        return [
            GateResult(
                self.id,
                None,
                ERROR if unknown else OK,
                figure=len(unknown),
                threshold=0,
                items=tuple(item.id for item in open_items),
                looked_at=len(items.items),
            )
        ]
