from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0003_search")]

    operations = [
        migrations.AddIndex(
            model_name="transition",
            index=models.Index(fields=["at"], name="annotation_moves_by_time"),
        ),
    ]
