import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('annotation', '0001_initial'),
        ('corpus', '0001_initial'),
        ('jobs', '0001_initial'),
        ('projects', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Candidate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('generator', models.CharField(max_length=120)),
                ('text', models.TextField()),
                ('normalised', models.TextField(editable=False)),
                ('flags', models.JSONField(blank=True, default=list)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('call', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='candidates', to='jobs.call')),
                ('endpoint', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='candidates', to='jobs.endpoint')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='candidates', to='projects.project')),
                ('story', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='candidates', to='corpus.story')),
                ('story_revision', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='corpus.storyrevision')),
            ],
            options={
                'verbose_name': 'candidate',
                'verbose_name_plural': 'candidates',
                'ordering': ['call', 'position'],
                'indexes': [models.Index(fields=['story', 'id'], name='generation_candidate_by_story')],
                'constraints': [models.UniqueConstraint(fields=('call', 'position'), name='generation_candidate_position')],
            },
        ),
        migrations.CreateModel(
            name='Adoption',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('original_text', models.TextField()),
                ('edit_distance', models.FloatField(default=0)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('adopted_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('option', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.option')),
                ('candidate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='adoptions', to='generation.candidate')),
            ],
            options={
                'verbose_name': 'adoption',
                'verbose_name_plural': 'adoptions',
            },
        ),
        migrations.CreateModel(
            name='PromptTemplate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=80, verbose_name='name')),
                ('version', models.PositiveIntegerField(default=1, verbose_name='version')),
                ('purpose', models.CharField(choices=[('wrong_morals', 'wrong morals'), ('moral_wordings', 'rewordings of the moral'), ('wrong_options', 'distractors for a commonsense stem'), ('free', 'free-form')], default='wrong_morals', max_length=20, verbose_name='purpose')),
                ('text', models.TextField(max_length=20000, verbose_name='prompt')),
                ('wanted', models.PositiveSmallIntegerField(default=3, verbose_name='number of proposals')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='prompt_templates', to='projects.project')),
            ],
            options={
                'verbose_name': 'prompt template',
                'verbose_name_plural': 'prompt templates',
                'ordering': ['name', '-version'],
                'constraints': [models.UniqueConstraint(fields=('project', 'name', 'version'), name='generation_template_version')],
            },
        ),
        migrations.AddField(
            model_name='candidate',
            name='template',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='candidates', to='generation.prompttemplate'),
        ),
        migrations.CreateModel(
            name='Batch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('endpoints', models.ManyToManyField(related_name='batches', to='jobs.endpoint')),
                ('job', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='batch', to='jobs.work')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='batches', to='projects.project')),
                ('templates', models.ManyToManyField(related_name='batches', to='generation.prompttemplate')),
            ],
            options={
                'verbose_name': 'batch',
                'verbose_name_plural': 'batches',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='StemQuestion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('draft', models.UUIDField(editable=False)),
                ('stem', models.TextField()),
                ('key', models.TextField(blank=True)),
                ('words', models.CharField(max_length=64)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('asked_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('call', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='stem_questions', to='jobs.call')),
                ('endpoint', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='stem_questions', to='jobs.endpoint')),
                ('revision', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.revision')),
                ('story_revision', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='corpus.storyrevision')),
                ('template', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='stem_questions', to='generation.prompttemplate')),
            ],
            options={
                'verbose_name': 'stem question',
                'verbose_name_plural': 'stem questions',
                'ordering': ['-id'],
                'indexes': [models.Index(fields=['asked_by', 'draft'], name='generation_stems_of_draft'), models.Index(fields=['words', 'endpoint'], name='generation_stems_of_words')],
                'constraints': [models.UniqueConstraint(fields=('call', 'asked_by', 'draft'), name='generation_stem_question_once_a_draft')],
            },
        ),
        migrations.CreateModel(
            name='Trial',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('draft', models.UUIDField(editable=False)),
                ('words', models.CharField(max_length=64)),
                ('options', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                ('key', models.PositiveSmallIntegerField()),
                ('outcome', models.CharField(blank=True, choices=[('chosen', 'chose an option'), ('ambiguous', 'named several options'), ('unparsed', 'named no option'), ('refused', 'declined to answer')], max_length=10)),
                ('choice', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('is_correct', models.BooleanField(blank=True, null=True)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('asked_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('call', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='trial', to='jobs.call')),
                ('endpoint', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='trials', to='jobs.endpoint')),
                ('revision', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.revision')),
                ('story_revision', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='corpus.storyrevision')),
            ],
            options={
                'verbose_name': 'trial of an item',
                'verbose_name_plural': 'trials of items',
                'ordering': ['-id'],
                'indexes': [models.Index(fields=['asked_by', 'draft'], name='generation_trials_of_draft'), models.Index(fields=['words', 'endpoint'], name='generation_trials_of_words')],
            },
        ),
    ]
