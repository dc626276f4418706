from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("release", "0006_life")]

    operations = [
        migrations.AddField(
            model_name="release",
            name="uploads_in_all",
            field=models.PositiveSmallIntegerField(default=40, verbose_name="uploads of all teams"),
        ),
        migrations.AddField(
            model_name="team",
            name="in_all",
            field=models.PositiveSmallIntegerField(default=10, verbose_name="uploads in all"),
        ),
        migrations.AddConstraint(
            model_name="release",
            constraint=models.CheckConstraint(
                condition=Q(uploads_in_all__gte=0, uploads_in_all__lte=1000), name="release_uploads_cap"
            ),
        ),
        migrations.AddConstraint(
            model_name="team",
            constraint=models.CheckConstraint(
                condition=Q(in_all__gte=1, in_all__lte=200), name="release_team_total"
            ),
        ),
    ]
