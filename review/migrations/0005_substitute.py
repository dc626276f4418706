import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("review", "0004_no_repeated_index")]

    operations = [
        # changes nothing in the database: the table and its sequence keep their names
        migrations.AlterModelTable(name="deputy", table="review_deputy"),
        migrations.RenameModel(old_name="Deputy", new_name="Substitute"),
        migrations.AlterField(
            model_name="substitute",
            name="request",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="substitutes",
                to="review.reviewrequest",
            ),
        ),
    ]
