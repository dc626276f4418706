from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0008_active_seconds"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="item",
            index=models.Index(
                condition=models.Q(
                    ("task", "commonsense"),
                    models.Q(("state__in", ("draft", "withdrawn", "rejected")), _negated=True),
                ),
                fields=["project", "story", "writer"],
                name="annotation_item_owed",
            ),
        ),
    ]
