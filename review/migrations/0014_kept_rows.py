"""Rows that are never deleted, whoever asks: what people wrote and judged, what they saw, who they were."""

from django.db import migrations

KEPT = (
    *("accounts_user", "projects_project", "corpus_story"),
    *("annotation_item", "annotation_comment", "annotation_keyexposure", "annotation_handover"),
    "review_review",
)


class Migration(migrations.Migration):
    dependencies = [("review", "0013_active_seconds")]
    operations = [
        migrations.RunSQL(
            [
                f"CREATE TRIGGER kept BEFORE DELETE ON {table}"
                " FOR EACH ROW EXECUTE FUNCTION parable_refuse_change();"
                for table in KEPT
            ],
            [f"DROP TRIGGER kept ON {table};" for table in KEPT],
        )
    ]
