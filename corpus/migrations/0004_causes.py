"""What a program did to a story becomes a code; the sentences of old imports in `reason` go.

The trigger that keeps wordings as they are stands aside for this one change of their form.
"""

from django.db import migrations, models

MOVE = """
    ALTER TABLE corpus_storyrevision DISABLE TRIGGER immutable;
    UPDATE corpus_storyrevision SET cause = 'edited';
    UPDATE corpus_storyrevision SET cause = 'imported', reason = ''
        WHERE number = 1 AND reason IN ('', 'imported', '导入');
    UPDATE corpus_storyrevision SET cause = 'with_items', reason = ''
        WHERE number = 1 AND reason IN ('imported with items', '随题目导入');
    UPDATE corpus_storyrevision SET cause = 'reworded_by_import', reason = ''
        WHERE number > 1 AND reason IN ('imported', '导入');
    ALTER TABLE corpus_storyrevision ENABLE TRIGGER immutable;
"""


class Migration(migrations.Migration):
    dependencies = [("corpus", "0003_room_for_long_sources")]

    operations = [
        migrations.AddField(
            model_name="storyrevision",
            name="cause",
            field=models.CharField(
                choices=[
                    ("imported", "imported"),
                    ("with_items", "imported with items"),
                    ("reworded_by_import", "reworded by an import"),
                    ("edited", "edited"),
                ],
                default="imported",
                max_length=20,
                verbose_name="cause",
            ),
        ),
        migrations.RunSQL(MOVE, migrations.RunSQL.noop),
    ]
