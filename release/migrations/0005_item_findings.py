import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0007_file_audit'),
        ('projects', '0003_accesstoken'),
        ('release', '0004_gate_slices'),
    ]

    operations = [
        migrations.CreateModel(
            name='ItemFinding',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(max_length=40)),
                ('task', models.CharField(blank=True, max_length=40)),
                ('severity', models.CharField(max_length=7)),
                ('place', models.CharField(blank=True, max_length=40)),
                ('params', models.JSONField(blank=True, default=dict)),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.item')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='projects.project')),
                ('revision', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.revision')),
            ],
            options={
                'verbose_name': 'finding in an item',
                'verbose_name_plural': 'findings in items',
                'ordering': ['id'],
                'indexes': [models.Index(fields=['project', 'code', 'item'], name='release_finding_of_code')],
            },
        ),
    ]
