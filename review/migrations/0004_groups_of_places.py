"""Places carry their task and a key of who is barred, so that a claim never walks past what it may not take.

And: who held a place when its lease ran out, verdicts that can still be undone, and places put off.
"""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

TASKS = """
UPDATE review_reviewrequest SET task = item.task FROM annotation_item AS item WHERE item.id = item_id;
"""

# In order and without doubles: the same people, the same key.
SORTED = """
CREATE OR REPLACE FUNCTION parable_author_gives_up_claims() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE review_reviewrequest
        SET state = 'open', claimed_by_id = NULL, claimed_at = NULL, lease_expires_at = NULL
        WHERE item_id = NEW.item_id AND state = 'claimed' AND claimed_by_id = NEW.author_id;
    UPDATE review_reviewrequest
        SET barred = ARRAY(SELECT DISTINCT person FROM unnest(barred || NEW.author_id) AS person ORDER BY person)
        WHERE item_id = NEW.item_id AND state IN ('open', 'claimed') AND NOT barred @> ARRAY[NEW.author_id];
    RETURN NULL;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0007_contested_edits"),
        ("review", "0002_rules"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="reviewrequest",
            name="task",
            field=models.CharField(
                choices=[("commonsense", "commonsense"), ("moral", "moral")], default="", max_length=20
            ),
            preserve_default=False,
        ),
        migrations.RunSQL(TASKS, migrations.RunSQL.noop),
        migrations.RunSQL(SORTED, migrations.RunSQL.noop),
        migrations.AddField(
            model_name="reviewrequest",
            name="freed_from",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="reviewrequest",
            name="freed_order",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.PositiveSmallIntegerField(), blank=True, default=list, size=None
            ),
        ),
        migrations.AddField(
            model_name="reviewrequest",
            name="bar_key",
            field=models.GeneratedField(
                db_persist=True,
                expression=models.Func(
                    models.F("barred"), models.Value(0), function="hash_array_extended"
                ),
                output_field=models.BigIntegerField(),
            ),
        ),
        migrations.AddIndex(
            model_name="reviewrequest",
            index=models.Index(
                condition=models.Q(("state", "open")),
                fields=["project", "stage", "priority", "bar_key", "id"],
                name="review_open_groups",
            ),
        ),
        migrations.AddIndex(
            model_name="reviewrequest",
            index=models.Index(
                condition=models.Q(("state", "open")),
                fields=["story", "stage", "id"],
                name="review_open_of_story",
            ),
        ),
        migrations.AddIndex(
            model_name="reviewrequest",
            index=models.Index(
                condition=models.Q(("state", "claimed")),
                fields=["project", "stage", "lease_expires_at"],
                name="review_held",
            ),
        ),
        migrations.AddField(
            model_name="review",
            name="sent_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddIndex(
            model_name="review",
            index=models.Index(
                condition=models.Q(("judged_at", None), ("late_at", None), ("sent_at__isnull", False)),
                fields=["reviewer"],
                name="review_to_carry_out",
            ),
        ),
        migrations.CreateModel(
            name="Postponement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "request",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="review.reviewrequest",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "postponed item",
                "verbose_name_plural": "postponed items",
                "constraints": [
                    models.UniqueConstraint(fields=("user", "request"), name="review_postponed_once")
                ],
            },
        ),
    ]
