"""Whether a proverb's narratives come from as many writers as there are narratives."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("projects", "0004_people")]
    operations = [
        migrations.AddField(
            model_name="project",
            name="distinct_writers",
            field=models.BooleanField(
                db_default=True, default=True, verbose_name="one narrative per writer and proverb"
            ),
        ),
    ]
