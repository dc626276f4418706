"""The index of a request's revision is the beginning of that of its revision, stage and number."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("review", "0003_by_statement"), ("annotation", "0005_whole_once")]
    operations = [
        migrations.AlterField(
            model_name="reviewrequest",
            name="revision",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="review_requests",
                to="annotation.revision",
            ),
        ),
    ]
