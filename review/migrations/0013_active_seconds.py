from django.db import migrations, models

# What was judged before is counted from its times: a part that took longer than two minutes counts as two.
FILL = """
UPDATE review_review SET active_seconds = least(seconds, 120)
    + least(greatest(extract(epoch FROM coalesce(sent_at, judged_at) - solved_at)::integer, 0), 120)
    WHERE judged_at IS NOT NULL AND solved_at IS NOT NULL;
UPDATE review_goldplace SET active_seconds = least(seconds, 120)
    + least(greatest(extract(epoch FROM coalesce(sent_at, judged_at) - solved_at)::integer, 0), 120)
    WHERE judged_at IS NOT NULL AND solved_at IS NOT NULL;
"""


def _active_seconds(model: str) -> migrations.AddField:
    return migrations.AddField(
        model_name=model,
        name="active_seconds",
        field=models.PositiveIntegerField(db_default=0, default=0),
    )


class Migration(migrations.Migration):
    dependencies = [("review", "0012_exposures")]

    operations = [
        _active_seconds("reviewrequest"),
        _active_seconds("review"),
        _active_seconds("goldplace"),
        migrations.RunSQL(FILL, migrations.RunSQL.noop, elidable=True),
    ]
