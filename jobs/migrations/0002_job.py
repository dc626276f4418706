from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("jobs", "0001_initial"),
        # these name the model by its former name
        ("generation", "0001_initial"),
        ("evaluation", "0001_initial"),
    ]

    operations = [
        # changes nothing in the database: the table and its sequence keep their names
        migrations.AlterModelTable(name="work", table="jobs_work"),
        migrations.RenameModel(old_name="Work", new_name="Job"),
    ]
