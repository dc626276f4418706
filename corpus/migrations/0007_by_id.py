"""Stories of a project by their id, for pages of lists; the index of the project is the beginning of it."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0006_saved_mapping")]
    operations = [
        migrations.AddIndex(
            model_name="story", index=models.Index(fields=["project", "id"], name="corpus_story_by_id")
        ),
        migrations.AlterField(
            model_name="story",
            name="project",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="stories",
                to="projects.project",
            ),
        ),
    ]
