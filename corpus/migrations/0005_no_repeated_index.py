"""The index of a wording's story is the beginning of that of its story and number."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0004_waiting_grams")]
    operations = [
        migrations.AlterField(
            model_name="storyrevision",
            name="story",
            field=models.ForeignKey(
                db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="revisions", to="corpus.story"
            ),
        ),
    ]
