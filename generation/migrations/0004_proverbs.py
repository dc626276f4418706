"""Rankings of proverbs, pairs of near-synonyms, and drafts that ask for the proverb of a narrative."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

USER = settings.AUTH_USER_MODEL
PROTECT = django.db.models.deletion.PROTECT
CASCADE = django.db.models.deletion.CASCADE
ID = ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0009_distinct_writers"),
        ("corpus", "0007_by_id"),
        ("generation", "0003_answers_that_contradict"),
        ("projects", "0005_distinct_writers"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.CreateModel(
            name="ProverbRanking",
            fields=[
                ID,
                ("examinee", models.CharField(max_length=120)),
                ("narratives", models.PositiveIntegerField()),
                ("unranked", models.PositiveIntegerField()),
                ("accuracy", models.JSONField(default=list)),
                ("reciprocal_rank", models.JSONField(default=list)),
                ("created_at", models.DateTimeField(auto_now=True)),
                ("created_by", models.ForeignKey(on_delete=PROTECT, related_name="+", to=USER)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=PROTECT, related_name="proverb_rankings", to="projects.project"
                    ),
                ),
            ],
            options={"verbose_name": "ranking of proverbs", "verbose_name_plural": "rankings of proverbs"},
        ),
        migrations.CreateModel(
            name="RankedNarrative",
            fields=[
                ID,
                (
                    "proverbs",
                    django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None),
                ),
                ("key_rank", models.PositiveIntegerField(null=True)),
                ("item", models.ForeignKey(on_delete=PROTECT, related_name="+", to="annotation.item")),
                (
                    "ranking",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=CASCADE,
                        related_name="ranked",
                        to="generation.proverbranking",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ProverbPair",
            fields=[
                ID,
                ("is_synonym", models.BooleanField(blank=True, null=True)),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                (
                    "decided_by",
                    models.ForeignKey(blank=True, null=True, on_delete=PROTECT, related_name="+", to=USER),
                ),
                (
                    "first",
                    models.ForeignKey(db_index=False, on_delete=PROTECT, related_name="+", to="corpus.story"),
                ),
                (
                    "project",
                    models.ForeignKey(on_delete=PROTECT, related_name="proverb_pairs", to="projects.project"),
                ),
                ("second", models.ForeignKey(on_delete=PROTECT, related_name="+", to="corpus.story")),
            ],
            options={
                "verbose_name": "pair of proverbs",
                "verbose_name_plural": "pairs of proverbs",
                "ordering": ["id"],
            },
        ),
        migrations.CreateModel(
            name="ProverbProposal",
            fields=[
                ID,
                ("examinee", models.CharField(max_length=120)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "draft",
                    models.OneToOneField(on_delete=CASCADE, related_name="+", to="annotation.itemdraft"),
                ),
                ("source", models.OneToOneField(on_delete=PROTECT, related_name="+", to="annotation.item")),
            ],
            options={
                "verbose_name": "proposed proverb item",
                "verbose_name_plural": "proposed proverb items",
            },
        ),
        migrations.AddConstraint(
            model_name="proverbranking",
            constraint=models.UniqueConstraint(
                fields=("project", "examinee"), name="generation_one_ranking_per_examinee"
            ),
        ),
        migrations.AddConstraint(
            model_name="rankednarrative",
            constraint=models.UniqueConstraint(
                fields=("ranking", "item"), name="generation_narrative_ranked_once"
            ),
        ),
        migrations.AddIndex(
            model_name="proverbpair",
            index=models.Index(fields=["project", "is_synonym", "id"], name="generation_pairs_by_decision"),
        ),
        migrations.AddConstraint(
            model_name="proverbpair",
            constraint=models.UniqueConstraint(
                fields=("first", "second"), name="generation_pair_of_proverbs_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="proverbpair",
            constraint=models.CheckConstraint(
                condition=models.Q(("first__lt", models.F("second"))), name="generation_pair_in_order"
            ),
        ),
        migrations.AddConstraint(
            model_name="proverbpair",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("decided_at__isnull", True), ("is_synonym__isnull", True)),
                    models.Q(("decided_at__isnull", False), ("is_synonym__isnull", False)),
                    _connector="OR",
                ),
                name="generation_pair_decided_or_not",
            ),
        ),
    ]
