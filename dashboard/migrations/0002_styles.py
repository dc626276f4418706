from django.db import migrations, models


class Migration(migrations.Migration):
    """Add the bulk actions that set the style of imported items."""

    dependencies = [("dashboard", "0001_initial")]

    operations = [
        migrations.AlterField(
            model_name="bulkaction",
            name="verb",
            field=models.CharField(
                choices=[
                    ("return", "send for re-review"),
                    ("send_back", "return to the writer"),
                    ("first", "review first"),
                    ("normal", "review in normal order"),
                    ("assign", "assign to a writer"),
                    ("retire", "retire"),
                    ("machine", "set machine style"),
                    ("human", "set human style"),
                    ("hold_back", "hold back"),
                    ("release", "make available"),
                    ("pause", "pause"),
                    ("resume", "resume"),
                    ("retry", "retry failed calls"),
                    ("cancel", "cancel"),
                    ("group", "count as one story"),
                    ("rights", "set rights and genre"),
                    ("give_role", "add a role"),
                    ("take_role", "remove a role"),
                ],
                max_length=10,
            ),
        ),
    ]
