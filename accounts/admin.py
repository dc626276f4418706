"""Read-only admin pages of users and the audit trail, behind the site's own sign-in."""

from __future__ import annotations

import allauth.account.admin
import allauth.mfa.admin
import allauth.socialaccount.admin  # noqa: F401 - registers accounts at providers, taken out below
import django.contrib.auth.admin  # noqa: F401 - registers groups, taken out below
from allauth.account.decorators import secure_admin_login
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib import admin
from django.contrib.auth.models import Group
from django.utils.translation import gettext_lazy as _

from accounts.models import AuditEvent, IdempotencyKey, User
from web.admin import show_rows

# The admin uses the site's sign-in with its limits on wrong passwords, as documented by allauth.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]  # as allauth's guide asks
# Roles belong to projects, and accounts need no e-mail address; these admin pages could change both.
# The secrets of second factors are for their owners' apps alone.
admin.site.unregister([Group, EmailAddress, Authenticator, SocialAccount, SocialApp, SocialToken])
admin.site.site_header = admin.site.site_title = "Parable"
admin.site.index_title = _("All tables (read-only)")

show_rows(
    User,
    "username name is_active is_placeholder is_superuser may_create_projects last_login",
    filters="is_active is_placeholder is_superuser",
    search="username name",
    hidden="password groups user_permissions",
)
show_rows(
    AuditEvent,
    "at actor verb subject_type subject_id detail",
    filters="verb",
    search="actor__name verb =subject_id",
)
# without the stored responses: they have what only their user may read
show_rows(
    IdempotencyKey,
    "key operation user status created_at",
    search="operation user__name",
    hidden="body digest",
)
