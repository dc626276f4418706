import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('annotation', '0001_initial'),
        ('jobs', '0001_initial'),
        ('projects', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Erratum',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('remedy', models.CharField(choices=[('retire', 'retire the item'), ('mend', 'send for re-review')], max_length=10)),
                ('note', models.TextField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'erratum',
                'verbose_name_plural': 'errata',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='GateCheck',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('checked_at', models.DateTimeField(blank=True, null=True)),
                ('seen', models.JSONField(blank=True, default=list)),
                ('findings', models.JSONField(blank=True, default=dict)),
                ('project', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='projects.project')),
            ],
            options={
                'verbose_name': 'gate check',
                'verbose_name_plural': 'gate checks',
            },
        ),
        migrations.CreateModel(
            name='Release',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.CharField(max_length=40, verbose_name='version')),
                ('seed', models.CharField(max_length=64, verbose_name='seed')),
                ('recipe', models.JSONField(verbose_name='recipe')),
                ('state', models.CharField(choices=[('building', 'building'), ('ready', 'ready'), ('failed', 'failed'), ('withdrawn', 'withdrawn')], default='building', max_length=10)),
                ('manifest', models.JSONField(blank=True, default=dict)),
                ('reason', models.TextField(blank=True)),
                ('failure', models.CharField(blank=True, choices=[('nothing_verified', 'No item is verified any more.'), ('not_written', 'Cannot write the files: %(reason)s.'), ('fault', 'The build failed because of an error in Parable; see the log (release %(number)d).')], default='', max_length=20)),
                ('failure_details', models.JSONField(blank=True, default=dict)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('ready_at', models.DateTimeField(blank=True, null=True)),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                ('uploads_in_all', models.PositiveSmallIntegerField(default=40, verbose_name='total uploads of all teams')),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('extends', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='release.release')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='releases', to='projects.project')),
            ],
            options={
                'verbose_name': 'release',
                'verbose_name_plural': 'releases',
                'ordering': ['-id'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'failed'), _negated=True), fields=('project', 'version'), name='release_version'), models.CheckConstraint(condition=models.Q(('uploads_in_all__gte', 0), ('uploads_in_all__lte', 1000)), name='release_uploads_cap')],
            },
        ),
        migrations.CreateModel(
            name='Artifact',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('sha256', models.CharField(max_length=64)),
                ('bytes', models.PositiveBigIntegerField()),
                ('rows', models.PositiveIntegerField(blank=True, null=True)),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='artifacts', to='release.release')),
            ],
            options={
                'verbose_name': 'file',
                'verbose_name_plural': 'files',
                'ordering': ['name'],
                'constraints': [models.UniqueConstraint(fields=('release', 'name'), name='release_artifact_name')],
            },
        ),
        migrations.CreateModel(
            name='ReleaseItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('split', models.CharField(choices=[('dev', 'dev'), ('test', 'test')], max_length=4)),
                ('number', models.PositiveIntegerField()),
                ('public_id', models.CharField(max_length=120)),
                ('order', models.JSONField()),
                ('record', models.JSONField()),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.item')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='items', to='release.release')),
                ('revision', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.revision')),
            ],
            options={
                'verbose_name': 'released item',
                'verbose_name_plural': 'released items',
                'ordering': ['release', 'number'],
                'indexes': [models.Index(fields=['item'], name='release_by_item')],
                'constraints': [models.UniqueConstraint(fields=('release', 'item'), name='release_item_once'), models.UniqueConstraint(fields=('release', 'public_id'), name='release_public_id'), models.UniqueConstraint(fields=('release', 'number'), name='release_number')],
            },
        ),
        migrations.CreateModel(
            name='ErrorReport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('item_id_given', models.CharField(max_length=120)),
                ('release_given', models.CharField(blank=True, max_length=80)),
                ('fault', models.CharField(choices=[('wrong_key', 'the key is wrong'), ('several_fit', 'several options are correct'), ('none_fit', 'no option is correct'), ('wording', 'typo or wording'), ('story', 'the story is damaged or must not be used'), ('other', 'something else')], max_length=12)),
                ('text', models.TextField()),
                ('name', models.CharField(blank=True, max_length=150)),
                ('contact', models.CharField(blank=True, max_length=200)),
                ('token_hash', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('answer', models.TextField(blank=True)),
                ('answered_at', models.DateTimeField(blank=True, null=True)),
                ('answered_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('erratum', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reports', to='release.erratum')),
                ('reporter', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('released', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reports', to='release.releaseitem')),
            ],
            options={
                'verbose_name': 'error report',
                'verbose_name_plural': 'error reports',
                'ordering': ['-id'],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('answer', ''), ('answered_at', None), ('answered_by', None), ('erratum', None)), models.Q(('answered_at__isnull', False), ('answered_by__isnull', False), models.Q(('answer', ''), _negated=True)), _connector='OR'), name='release_report_answered_whole')],
            },
        ),
        migrations.AddField(
            model_name='erratum',
            name='released',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='errata', to='release.releaseitem'),
        ),
        migrations.CreateModel(
            name='Team',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=150, verbose_name='name')),
                ('token_hash', models.CharField(max_length=64, unique=True)),
                ('per_week', models.PositiveSmallIntegerField(verbose_name='uploads per week')),
                ('in_all', models.PositiveSmallIntegerField(default=10, verbose_name='total uploads')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='teams', to='release.release')),
            ],
            options={
                'verbose_name': 'team',
                'verbose_name_plural': 'teams',
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(fields=('release', 'name'), name='release_team_name'), models.CheckConstraint(condition=models.Q(('per_week__gte', 1), ('per_week__lte', 50)), name='release_team_cap'), models.CheckConstraint(condition=models.Q(('in_all__gte', 1), ('in_all__lte', 200)), name='release_team_total')],
            },
        ),
        migrations.CreateModel(
            name='Upload',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('examinee', models.CharField(max_length=200)),
                ('sha256', models.CharField(max_length=64)),
                ('bytes', models.PositiveBigIntegerField()),
                ('repeats', models.PositiveSmallIntegerField()),
                ('state', models.CharField(choices=[('waiting', 'waiting to be scored'), ('done', 'scored'), ('failed', 'not scored')], default='waiting', max_length=10)),
                ('totals', models.JSONField(blank=True, default=dict)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='uploads', to='release.team')),
            ],
            options={
                'verbose_name': 'upload',
                'verbose_name_plural': 'uploads',
                'ordering': ['-id'],
                'indexes': [models.Index(fields=['team', 'created_at'], name='release_upload_week')],
            },
        ),
    ]
