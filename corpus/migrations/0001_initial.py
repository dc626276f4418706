import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('projects', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Story',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ref', models.CharField(help_text='ID from the source, or generated.', max_length=200, verbose_name='ID')),
                ('language', models.CharField(max_length=35, verbose_name='language')),
                ('source', models.CharField(blank=True, max_length=2000, verbose_name='source')),
                ('rights', models.CharField(blank=True, help_text='Empty: unknown.', max_length=2000, verbose_name='rights')),
                ('rights_evidence', models.TextField(blank=True, verbose_name='evidence for the rights')),
                ('text_hash', models.CharField(max_length=64)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='stories', to='projects.project')),
            ],
            options={
                'verbose_name': 'story',
                'verbose_name_plural': 'stories',
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(fields=('project', 'text_hash'), name='corpus_story_text'), models.UniqueConstraint(fields=('project', 'ref'), name='corpus_story_ref')],
            },
        ),
        migrations.CreateModel(
            name='SimilarPair',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('similarity', models.FloatField(verbose_name='similarity')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='similar_pairs', to='projects.project')),
                ('first', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='corpus.story')),
                ('second', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='corpus.story')),
            ],
            options={
                'verbose_name': 'similar stories',
                'verbose_name_plural': 'similar stories',
                'ordering': ['-similarity', 'id'],
                'constraints': [models.UniqueConstraint(fields=('project', 'first', 'second'), name='corpus_pair_once')],
            },
        ),
        migrations.CreateModel(
            name='StoryRevision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(verbose_name='revision')),
                ('title', models.CharField(max_length=500, verbose_name='title')),
                ('text', models.TextField(verbose_name='text')),
                ('moral', models.TextField(blank=True, verbose_name='moral')),
                ('moral_origin', models.CharField(choices=[('none', 'no moral'), ('source', 'from the source'), ('rewritten', 'adapted from the source'), ('ours', 'written for this project')], default='none', max_length=10)),
                ('cause', models.CharField(choices=[('imported', 'imported'), ('with_items', 'imported with items'), ('reworded_by_import', 'changed by an import'), ('edited', 'edited')], default='imported', max_length=20, verbose_name='cause')),
                ('reason', models.CharField(blank=True, max_length=500, verbose_name='reason')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('story', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='revisions', to='corpus.story')),
            ],
            options={
                'verbose_name': 'story revision',
                'verbose_name_plural': 'story revisions',
                'ordering': ['story', 'number'],
                'constraints': [models.UniqueConstraint(fields=('story', 'number'), name='corpus_revision_number'), models.CheckConstraint(condition=models.Q(models.Q(('moral', ''), ('moral_origin', 'none')), models.Q(models.Q(('moral', ''), _negated=True), models.Q(('moral_origin', 'none'), _negated=True)), _connector='OR'), name='corpus_moral_has_an_origin')],
            },
        ),
        migrations.AddField(
            model_name='story',
            name='current',
            field=models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='corpus.storyrevision', verbose_name='current revision'),
        ),
    ]
