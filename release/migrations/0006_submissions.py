import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Add what teams submit for the organisers to run."""

    dependencies = [("jobs", "0005_guests"), ("release", "0005_item_findings")]

    operations = [
        migrations.CreateModel(
            name="Submission",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("prompt", "prompt"), ("model", "model behind an address")],
                        max_length=10,
                        verbose_name="kind",
                    ),
                ),
                ("name", models.CharField(max_length=80, verbose_name="name")),
                ("prompt", models.TextField(blank=True, verbose_name="prompt")),
                ("prompts", models.JSONField(blank=True, default=dict)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                (
                    "endpoint",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="jobs.endpoint",
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to="release.team",
                    ),
                ),
            ],
            options={
                "verbose_name": "submission of a team",
                "verbose_name_plural": "submissions of teams",
                "ordering": ["-id"],
                "constraints": [
                    models.UniqueConstraint(fields=("team", "name"), name="release_submission_name"),
                    models.CheckConstraint(
                        condition=models.Q(("kind", "model"), ("endpoint__isnull", True), _connector="XOR"),
                        name="release_submission_has_its_model",
                    ),
                ],
            },
        ),
    ]
