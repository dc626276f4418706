import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("jobs", "0005_titles_and_schemas"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ProjectBudget",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("limit", models.DecimalField(blank=True, decimal_places=6, max_digits=14, null=True)),
                ("set_at", models.DateTimeField(auto_now=True)),
                (
                    "project",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="model_budget",
                        to="projects.project",
                    ),
                ),
                (
                    "set_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "budget of a project",
                "verbose_name_plural": "budgets of projects",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("limit__isnull", True), ("limit__gte", 0), _connector="OR"),
                        name="jobs_project_budget_not_negative",
                    )
                ],
            },
        ),
    ]
