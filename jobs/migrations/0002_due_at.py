from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("jobs", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="call",
            name="due_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddIndex(
            model_name="call",
            index=models.Index(
                fields=["endpoint", "state", "due_at"],
                condition=Q(state__in=["pending", "running"]),
                name="jobs_call_unfinished",
            ),
        ),
    ]
