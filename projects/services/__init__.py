"""Services of this app: the only code that writes projects, members, invitations, guidelines and types."""

from projects.services.access_token import (
    LONGEST_TOKEN_DAYS,
    NewToken,
    create_token,
    revoke_token,
    revoke_tokens,
    use_token,
)
from projects.services.guideline import LONGEST_GUIDELINE, acknowledge_guideline, publish_guideline
from projects.services.invitation import (
    LONGEST_INVITATION_DAYS,
    MOST_INVITATIONS_AT_ONCE,
    Issued,
    accept_invitation,
    find_invitation,
    invite_people,
    join_by_invitation,
    revoke_invitation,
)
from projects.services.link import cached_links, keep_links, put_links_away
from projects.services.member import (
    follow_groups,
    give_role,
    issue_reset_link,
    leave_projects,
    put_begin_away,
    set_roles,
    take_role,
)
from projects.services.project import EDITABLE, create_project, set_archived, update_project
from projects.services.type import add_type, rename_type, restore_type, retire_type

__all__ = [
    "EDITABLE",
    "LONGEST_GUIDELINE",
    "LONGEST_INVITATION_DAYS",
    "LONGEST_TOKEN_DAYS",
    "MOST_INVITATIONS_AT_ONCE",
    "Issued",
    "NewToken",
    "accept_invitation",
    "acknowledge_guideline",
    "add_type",
    "cached_links",
    "create_project",
    "create_token",
    "find_invitation",
    "follow_groups",
    "give_role",
    "invite_people",
    "issue_reset_link",
    "join_by_invitation",
    "keep_links",
    "leave_projects",
    "publish_guideline",
    "put_begin_away",
    "put_links_away",
    "rename_type",
    "restore_type",
    "retire_type",
    "revoke_invitation",
    "revoke_token",
    "revoke_tokens",
    "set_archived",
    "set_roles",
    "take_role",
    "update_project",
    "use_token",
]
