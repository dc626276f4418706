"""Addresses and browsers may be removed from audit events older than 90 days; all else stays append-only.

The trigger for updates compares the whole rows, so that it also covers columns that are added later. It has
a function of its own, since the role of web and workers loses the right to update tables whose updates
`parable_refuse_change` refuses without exception.
"""

from django.db import migrations, models
from django.db.models import Q

RULES = """
CREATE FUNCTION parable_keep_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.at < now() - interval '90 days'
        AND NEW.detail = OLD.detail - 'address' - 'browser'
        AND to_jsonb(NEW) - 'detail' = to_jsonb(OLD) - 'detail'
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

DROP TRIGGER append_only ON accounts_auditevent;
CREATE TRIGGER append_only BEFORE DELETE ON accounts_auditevent
    FOR EACH ROW EXECUTE FUNCTION parable_refuse_change();
CREATE TRIGGER append_only_but_addresses BEFORE UPDATE ON accounts_auditevent
    FOR EACH ROW EXECUTE FUNCTION parable_keep_event();
"""

UNDO = """
DROP TRIGGER append_only_but_addresses ON accounts_auditevent;
DROP TRIGGER append_only ON accounts_auditevent;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON accounts_auditevent
    FOR EACH ROW EXECUTE FUNCTION parable_refuse_change();
DROP FUNCTION parable_keep_event();
"""


class Migration(migrations.Migration):
    dependencies = [("accounts", "0004_idempotencykey")]
    operations = [
        migrations.AddIndex(
            "auditevent",
            models.Index(
                fields=["id"],
                condition=Q(detail__has_any_keys=["address", "browser"]),
                name="accounts_audit_addresses",
            ),
        ),
        migrations.RunSQL(RULES, UNDO),
    ]
