"""The audit trail is append-only and users are never deleted: triggers refuse every such statement."""

from django.db import migrations

FUNCTION = """
CREATE FUNCTION parable_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON accounts_auditevent
    FOR EACH ROW EXECUTE FUNCTION parable_refuse_change();
CREATE TRIGGER kept BEFORE DELETE ON accounts_user
    FOR EACH ROW EXECUTE FUNCTION parable_refuse_change();
"""

UNDO = """
DROP TRIGGER kept ON accounts_user;
DROP TRIGGER append_only ON accounts_auditevent;
DROP FUNCTION parable_refuse_change();
"""


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial")]
    operations = [migrations.RunSQL(FUNCTION, UNDO)]
