from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0004_how_it_was_asked")]

    operations = [
        migrations.AddField(
            model_name="call", name="schema", field=models.JSONField(blank=True, null=True)
        ),
        migrations.RenameField(model_name="job", old_name="title", new_name="title_code"),
        migrations.AddField(
            model_name="job", name="title_about", field=models.JSONField(blank=True, default=dict)
        ),
    ]
