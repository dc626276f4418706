import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('jobs', '0001_initial'),
        ('projects', '0001_initial'),
        ('release', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Examinee',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=120, verbose_name='name')),
                ('kind', models.CharField(choices=[('endpoint', 'asked by Parable'), ('imported', 'imported responses'), ('panel', 'fresh panel of people')], max_length=10, verbose_name='kind')),
                ('model', models.CharField(blank=True, max_length=120, verbose_name='model')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('endpoint', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='jobs.endpoint')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='projects.project')),
            ],
            options={
                'verbose_name': 'examinee',
                'verbose_name_plural': 'examinees',
                'ordering': ['name'],
                'constraints': [models.UniqueConstraint(fields=('project', 'name'), name='evaluation_examinee_name'), models.CheckConstraint(condition=models.Q(('kind', 'endpoint'), ('endpoint__isnull', True), _connector='XOR'), name='evaluation_examinee_has_its_endpoint')],
            },
        ),
        migrations.CreateModel(
            name='PanelSeat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('name', models.CharField(max_length=150, verbose_name='name')),
                ('token_hash', models.CharField(max_length=64, unique=True)),
                ('wanted', models.PositiveSmallIntegerField(verbose_name='items per person')),
                ('expires_at', models.DateTimeField(verbose_name='expires at')),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'panel member',
                'verbose_name_plural': 'panel members',
                'ordering': ['number'],
            },
        ),
        migrations.CreateModel(
            name='PanelPlace',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('order', models.JSONField()),
                ('shown_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='release.releaseitem')),
                ('seat', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='places', to='evaluation.panelseat')),
            ],
            options={
                'verbose_name': 'panel item',
                'verbose_name_plural': 'panel items',
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(fields=('seat', 'item'), name='evaluation_place_once'), models.UniqueConstraint(fields=('seat', 'position'), name='evaluation_place_position')],
            },
        ),
        migrations.CreateModel(
            name='ResponseFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=255, verbose_name='name')),
                ('sha256', models.CharField(max_length=64)),
                ('bytes', models.PositiveBigIntegerField()),
                ('kept_as', models.CharField(blank=True, max_length=200)),
                ('state', models.CharField(choices=[('waiting', 'reading'), ('done', 'imported'), ('refused', 'refused'), ('failed', 'failed')], default='waiting', max_length=10, verbose_name='state')),
                ('answers', models.PositiveIntegerField(default=0, editable=False)),
                ('problems', models.JSONField(blank=True, default=list)),
                ('ordered_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='release.release')),
            ],
            options={
                'verbose_name': 'response file',
                'verbose_name_plural': 'response files',
                'ordering': ['-id'],
                'constraints': [models.UniqueConstraint(fields=('release', 'sha256'), name='evaluation_file_once')],
            },
        ),
        migrations.CreateModel(
            name='ResultTables',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('split', models.CharField(choices=[('dev', 'dev'), ('test', 'test'), ('both', 'dev and test')], default='both', max_length=4, verbose_name='split')),
                ('key', models.CharField(max_length=64)),
                ('counted_at', models.DateTimeField(blank=True, null=True)),
                ('counted_upto', models.BigIntegerField(default=0)),
                ('tables', models.JSONField(blank=True, default=list)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='release.release')),
            ],
            options={
                'verbose_name': 'result tables',
                'verbose_name_plural': 'result tables',
                'ordering': ['-id'],
                'constraints': [models.UniqueConstraint(fields=('release', 'key'), name='evaluation_results_once')],
            },
        ),
        migrations.CreateModel(
            name='ResultPlot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('table', models.CharField(max_length=20)),
                ('language', models.CharField(max_length=2)),
                ('svg', models.TextField()),
                ('results', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='plots', to='evaluation.resulttables')),
            ],
            options={
                'verbose_name': 'result plot',
                'verbose_name_plural': 'result plots',
                'constraints': [models.UniqueConstraint(fields=('results', 'table', 'language'), name='evaluation_plot_once')],
            },
        ),
        migrations.CreateModel(
            name='Run',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('split', models.CharField(choices=[('dev', 'dev'), ('test', 'test'), ('both', 'dev and test')], default='both', max_length=4, verbose_name='split')),
                ('prompt', models.TextField(blank=True, verbose_name='prompt')),
                ('repeats', models.PositiveSmallIntegerField(default=1, verbose_name='repeats')),
                ('order', models.CharField(choices=[('released', 'as released'), ('shuffled', 'shuffled by seed for each repeat'), ('circular', 'circular: every rotation of each item')], default='released', max_length=10, verbose_name='order of options')),
                ('seed', models.CharField(default='0', max_length=64, verbose_name='seed')),
                ('sample_size', models.PositiveIntegerField(blank=True, null=True, verbose_name='sample size')),
                ('asked', models.PositiveIntegerField(default=0, editable=False)),
                ('settings', models.JSONField(blank=True, default=dict)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('examinee', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='evaluation.examinee')),
                ('file', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='evaluation.responsefile')),
                ('job', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='jobs.work')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='release.release')),
            ],
            options={
                'verbose_name': 'run',
                'verbose_name_plural': "running",
                'ordering': ['-id'],
            },
        ),
        migrations.AddField(
            model_name='resulttables',
            name='runs',
            field=models.ManyToManyField(related_name='results', to='evaluation.run'),
        ),
        migrations.CreateModel(
            name='Response',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('repeat', models.PositiveSmallIntegerField()),
                ('rotation', models.PositiveSmallIntegerField(default=0)),
                ('order', models.JSONField()),
                ('text', models.TextField(blank=True)),
                ('reading', models.CharField(choices=[('chosen', 'answered'), ('ambiguous', 'named several options'), ('unparsed', 'named no option'), ('refused', 'declined to answer'), ('failed', 'no response')], max_length=10)),
                ('choice', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('strict_choice', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('correct', models.BooleanField(default=False)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('call', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='jobs.call')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='release.releaseitem')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='responses', to='evaluation.run')),
            ],
            options={
                'verbose_name': 'response',
                'verbose_name_plural': 'responses',
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(fields=('run', 'item', 'repeat', 'rotation'), name='evaluation_response_once'), models.CheckConstraint(condition=models.Q(('reading', 'chosen'), ('choice__isnull', True), _connector='XOR'), name='evaluation_choice_where_answered'), models.CheckConstraint(condition=models.Q(('correct', False), ('choice__isnull', False), _connector='OR'), name='evaluation_right_is_a_choice')],
            },
        ),
        migrations.AddField(
            model_name='panelseat',
            name='run',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seats', to='evaluation.run'),
        ),
        migrations.CreateModel(
            name='Calibration',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('model', models.CharField(choices=[('1pl', '1PL: difficulty'), ('2pl', '2PL: difficulty and discrimination'), ('3pl', '3PL: difficulty, discrimination and guessing')], default='2pl', max_length=3, verbose_name='model')),
                ('priors', models.CharField(choices=[('auto', 'auto'), ('none', 'none'), ('weak', 'weak')], default='auto', max_length=4, verbose_name='priors')),
                ('parameters', models.JSONField(blank=True, default=dict)),
                ('log_likelihood', models.FloatField(blank=True, null=True)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='release.release')),
                ('runs', models.ManyToManyField(related_name='calibrations', to='evaluation.run')),
            ],
            options={
                'verbose_name': 'calibration',
                'verbose_name_plural': 'calibrations',
                'ordering': ['-id'],
            },
        ),
        migrations.AddConstraint(
            model_name='panelseat',
            constraint=models.UniqueConstraint(fields=('run', 'number'), name='evaluation_seat_number'),
        ),
    ]
