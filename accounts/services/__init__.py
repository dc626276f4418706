"""Services of this app: the only code that writes users, their sessions and the audit trail."""

from accounts.services.account import (
    SYSTEM_USERNAME,
    ResetLink,
    allow_projects,
    choose_language,
    create_user,
    get_or_create_placeholder,
    issue_reset_link,
    make_reset_link,
    mark_inbox_read,
    mark_mailed,
    open_inbox,
    record_event,
    revoke_reset_links,
    set_password,
    set_password_by_link,
    stop_mail,
    system_account,
    update_profile,
)
from accounts.services.closure import close_account
from accounts.services.idempotency import forget_responses, recall, remember
from accounts.services.provider import create_provider_user, follow_provider
from accounts.services.retention import ADDRESSES_KEPT, forget_addresses
from accounts.services.second_factor import reset_second_factor
from accounts.services.sign_in import (
    end_other_sessions,
    forget_ended_sessions,
    mark_session_seen,
    record_failure,
    record_lock,
    record_sign_in,
    record_sign_out,
)

__all__ = [
    "ADDRESSES_KEPT",
    "SYSTEM_USERNAME",
    "ResetLink",
    "allow_projects",
    "choose_language",
    "close_account",
    "create_provider_user",
    "create_user",
    "end_other_sessions",
    "follow_provider",
    "forget_addresses",
    "forget_ended_sessions",
    "forget_responses",
    "get_or_create_placeholder",
    "issue_reset_link",
    "make_reset_link",
    "mark_inbox_read",
    "mark_mailed",
    "mark_session_seen",
    "open_inbox",
    "recall",
    "record_event",
    "record_failure",
    "record_lock",
    "record_sign_in",
    "record_sign_out",
    "remember",
    "reset_second_factor",
    "revoke_reset_links",
    "set_password",
    "set_password_by_link",
    "stop_mail",
    "system_account",
    "update_profile",
]
