from django.db import migrations, models


class Migration(migrations.Migration):
    """Add endpoints of people outside the project."""

    dependencies = [("jobs", "0004_job_without_project")]

    operations = [
        migrations.AddField(
            model_name="endpoint",
            name="is_guest",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
    ]
