from django.db import migrations, models
from django.db.models import OuterRef, Subquery


def name_the_model(apps, schema_editor):
    """Endpoints could not be edited so far, so what they name is what was asked."""
    call, endpoint = apps.get_model("jobs", "Call"), apps.get_model("jobs", "Endpoint")
    named = endpoint.objects.filter(pk=OuterRef("endpoint")).values("model")[:1]
    call.objects.filter(model="").update(model=Subquery(named))


class Migration(migrations.Migration):
    dependencies = [("jobs", "0003_stored_keys")]

    operations = [
        migrations.AddField(
            model_name="call", name="model", field=models.CharField(blank=True, default="", max_length=120), preserve_default=False
        ),
        migrations.AddField(
            model_name="call",
            name="asked_as",
            field=models.CharField(
                blank=True,
                choices=[("schema", "with a JSON schema"), ("plain", "in plain words")],
                default="",
                max_length=10,
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="endpoint",
            name="takes_schema",
            field=models.BooleanField(blank=True, editable=False, null=True, verbose_name="takes a JSON schema"),
        ),
        migrations.AlterField(
            model_name="endpoint",
            name="base_url",
            field=models.CharField(blank=True, max_length=400, verbose_name="base URL"),
        ),
        migrations.RunPython(name_the_model, migrations.RunPython.noop),
    ]
