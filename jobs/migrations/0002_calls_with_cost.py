from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0001_initial")]

    operations = [
        migrations.RemoveIndex(model_name="call", name="jobs_call_by_state"),
        migrations.AddIndex(
            model_name="call",
            index=models.Index(
                fields=["job", "state"],
                include=["endpoint", "model", "cost", "tokens_in", "tokens_out"],
                name="jobs_call_by_state",
            ),
        ),
    ]
