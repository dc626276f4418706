from django.db import migrations, models
import django.db.models.deletion


class Migration(migrations.Migration):
    """Let a job be about no project: the check of a file that belongs to none."""

    dependencies = [("jobs", "0003_delete_idempotencykey")]

    operations = [
        migrations.AlterField(
            model_name="job",
            name="project",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="jobs",
                to="projects.project",
            ),
        ),
    ]
