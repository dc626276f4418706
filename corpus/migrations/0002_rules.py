"""A story's wording never changes: a change is a new revision."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("corpus", "0001_initial"), ("accounts", "0002_rules")]
    operations = [
        migrations.RunSQL(
            """
            CREATE TRIGGER immutable BEFORE UPDATE OR DELETE ON corpus_storyrevision
                FOR EACH ROW EXECUTE FUNCTION parable_refuse_change();
            """,
            "DROP TRIGGER immutable ON corpus_storyrevision;",
        )
    ]
