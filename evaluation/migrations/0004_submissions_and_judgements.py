import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

FAILINGS = [
    ("unfaithful", "unfaithful to the story"),
    ("motives", "motives misread"),
    ("surface", "surface cues followed"),
    ("shallow", "shallow"),
]


class Migration(migrations.Migration):
    """Let an examinee be what a team has submitted, and let people judge answers with reasons."""

    dependencies = [
        ("evaluation", "0003_authors"),
        ("release", "0006_submissions"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="examinee",
            name="submission",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="examinees",
                to="release.submission",
            ),
        ),
        migrations.CreateModel(
            name="Judgement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("grade", models.PositiveSmallIntegerField(blank=True, null=True, verbose_name="grade")),
                (
                    "failings",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(choices=FAILINGS, max_length=10),
                        blank=True,
                        default=list,
                        size=None,
                    ),
                ),
                ("at", models.DateTimeField(auto_now=True)),
                (
                    "rater",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "response",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="judgements",
                        to="evaluation.response",
                    ),
                ),
            ],
            options={
                "verbose_name": "judgement of an answer",
                "verbose_name_plural": "judgements of answers",
                "ordering": ["-id"],
                "constraints": [
                    models.UniqueConstraint(fields=("response", "rater"), name="evaluation_judged_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("failings__contained_by", ["unfaithful", "motives", "surface", "shallow"])
                        ),
                        name="evaluation_failings_exist",
                    ),
                ],
            },
        ),
    ]
