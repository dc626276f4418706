"""A story's wording never changes: a change is a new revision. And no story is ever deleted."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("corpus", "0001_initial"), ("accounts", "0002_rules")]
    operations = [
        migrations.RunSQL(
            """
            CREATE TRIGGER immutable BEFORE UPDATE OR DELETE ON corpus_storyrevision
                FOR EACH ROW EXECUTE FUNCTION parable_refuse_change();
            CREATE TRIGGER kept BEFORE DELETE ON corpus_story
                FOR EACH ROW EXECUTE FUNCTION parable_refuse_change();
            """,
            "DROP TRIGGER kept ON corpus_story; DROP TRIGGER immutable ON corpus_storyrevision;",
        )
    ]
