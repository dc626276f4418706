from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("review", "0005_substitute")]

    operations = [
        # changes nothing in the database: the table and its sequence keep their names
        migrations.AlterModelTable(name="golditem", table="review_golditem"),
        migrations.RenameModel(old_name="GoldItem", new_name="PracticeItem"),
    ]
