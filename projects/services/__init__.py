"""Services of this app: the only code that writes projects, members, invitations, guidelines and types."""

from projects.services.guideline import acknowledge_guideline, publish_guideline
from projects.services.invitation import (
    MOST_INVITATIONS_AT_ONCE,
    Issued,
    accept_invitation,
    find_invitation,
    invite_people,
    join_by_invitation,
    revoke_invitation,
)
from projects.services.link import cached_links, keep_links, put_links_away
from projects.services.member import give_role, issue_reset_link, put_begin_away, set_roles, take_role
from projects.services.project import EDITABLE, create_project, set_archived, update_project
from projects.services.type import add_type, rename_type, restore_type, retire_type

__all__ = [
    "EDITABLE",
    "MOST_INVITATIONS_AT_ONCE",
    "Issued",
    "accept_invitation",
    "acknowledge_guideline",
    "add_type",
    "cached_links",
    "create_project",
    "find_invitation",
    "give_role",
    "invite_people",
    "issue_reset_link",
    "join_by_invitation",
    "keep_links",
    "publish_guideline",
    "put_begin_away",
    "put_links_away",
    "rename_type",
    "restore_type",
    "retire_type",
    "revoke_invitation",
    "set_archived",
    "set_roles",
    "take_role",
    "update_project",
]
