"""Items of a project by their id, for pages of lists; the index of the project is the beginning of it."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0005_whole_once")]
    operations = [
        migrations.AddIndex(
            model_name="item", index=models.Index(fields=["project", "id"], name="annotation_item_by_id")
        ),
        migrations.AlterField(
            model_name="item",
            name="project",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="items",
                to="projects.project",
            ),
        ),
    ]
