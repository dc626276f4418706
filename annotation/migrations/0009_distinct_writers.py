"""One item per writer and story, where the task and the project allow no other; keys that items share."""

import django.db.models.deletion
from django.db import migrations, models

import projects.models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0008_set_aside"), ("corpus", "0007_by_id")]
    operations = [
        migrations.AddField(
            model_name="item",
            name="is_sole",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.AddConstraint(
            model_name="item",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    ("is_sole", True),
                    models.Q(("state__in", ["withdrawn", "rejected", "retired"]), _negated=True),
                ),
                fields=("story", "task", "writer"),
                name="annotation_one_item_per_writer",
            ),
        ),
        migrations.CreateModel(
            name="KeyLink",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("task", models.CharField(choices=projects.models.task_choices, max_length=20)),
                (
                    "item",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="key_links",
                        to="annotation.item",
                    ),
                ),
                (
                    "story",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="key_links",
                        to="corpus.story",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="keylink",
            constraint=models.UniqueConstraint(
                fields=("item", "story", "task"), name="annotation_one_key_link"
            ),
        ),
    ]
