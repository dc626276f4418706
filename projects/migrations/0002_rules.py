"""A published guideline never changes: what people wrote under it must stay readable. And projects stay."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("projects", "0001_initial"), ("accounts", "0002_rules")]
    operations = [
        migrations.RunSQL(
            """
            CREATE TRIGGER immutable BEFORE UPDATE OR DELETE ON projects_guideline
                FOR EACH ROW EXECUTE FUNCTION parable_refuse_change();
            CREATE TRIGGER kept BEFORE DELETE ON projects_project
                FOR EACH ROW EXECUTE FUNCTION parable_refuse_change();
            """,
            "DROP TRIGGER kept ON projects_project; DROP TRIGGER immutable ON projects_guideline;",
        )
    ]
