# Practice items and what reviewers found in them, outside places and reviews.

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0008_active_seconds'),
        ('corpus', '0005_similar_stories'),
        ('projects', '0006_gold_rate'),
        ('review', '0005_statistics'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='GoldItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('task', models.CharField(choices=[('commonsense', 'commonsense'), ('moral', 'moral')], max_length=20)),
                ('words', models.JSONField()),
                ('expected_answer', models.CharField(choices=[('option', 'one option'), ('none_fits', 'none fits'), ('several_fit', 'several fit')], max_length=12)),
                ('expected_positions', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(), blank=True, default=list, size=None)),
                ('rating_low', models.PositiveSmallIntegerField()),
                ('rating_high', models.PositiveSmallIntegerField()),
                ('expected_flaws', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('no_right_option', 'no right option'), ('two_right_options', 'two right options'), ('answerable_without_story', 'answerable without the story'), ('trivial_distractor', 'trivial distractor'), ('wrong_type', 'wrong type'), ('unclear_stem', 'unclear stem'), ('language', 'language'), ('not_common_sense', 'not common sense'), ('other', 'other')], max_length=30), blank=True, default=list, size=None)),
                ('dispositions', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('pass', 'pass'), ('edit', 'edit'), ('return', 'return to the writer'), ('reject', 'reject'), ('send_on', 'send on to verification')], max_length=10), size=None)),
                ('lesson', models.TextField(max_length=4000)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('retired_at', models.DateTimeField(blank=True, null=True)),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('made_from', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.item')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='projects.project')),
                ('story', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='corpus.story')),
                ('story_revision', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='corpus.storyrevision')),
            ],
            options={
                'verbose_name': 'practice item',
                'verbose_name_plural': 'practice items',
            },
        ),
        migrations.CreateModel(
            name='GoldPlace',
            fields=[
                ('id', models.BigIntegerField(primary_key=True, serialize=False)),
                ('drawn_order', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(), size=None)),
                ('claimed_at', models.DateTimeField()),
                ('lease_expires_at', models.DateTimeField()),
                ('postponed_at', models.DateTimeField(blank=True, null=True)),
                ('skipped_at', models.DateTimeField(blank=True, null=True)),
                ('answer', models.CharField(blank=True, choices=[('option', 'one option'), ('none_fits', 'none fits'), ('several_fit', 'several fit')], max_length=12)),
                ('chosen_position', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('several_positions', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(), blank=True, default=list, size=None)),
                ('solved_at', models.DateTimeField(blank=True, null=True)),
                ('seconds', models.PositiveIntegerField(default=0)),
                ('slip', models.BooleanField(default=False)),
                ('rating', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('flaws', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('no_right_option', 'no right option'), ('two_right_options', 'two right options'), ('answerable_without_story', 'answerable without the story'), ('trivial_distractor', 'trivial distractor'), ('wrong_type', 'wrong type'), ('unclear_stem', 'unclear stem'), ('language', 'language'), ('not_common_sense', 'not common sense'), ('other', 'other')], max_length=30), blank=True, default=list, size=None)),
                ('comment', models.TextField(blank=True, max_length=4000)),
                ('disposition', models.CharField(blank=True, choices=[('pass', 'pass'), ('edit', 'edit'), ('return', 'return to the writer'), ('reject', 'reject'), ('send_on', 'send on to verification')], max_length=10)),
                ('judged_at', models.DateTimeField(blank=True, null=True)),
                ('findings', models.JSONField(blank=True, default=dict)),
                ('is_right', models.BooleanField(null=True)),
                ('lesson_seen_at', models.DateTimeField(blank=True, null=True)),
                ('gold', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='places', to='review.golditem')),
                ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'practice item in hand',
                'verbose_name_plural': 'practice items in hand',
            },
        ),
        migrations.AddIndex(
            model_name='golditem',
            index=models.Index(fields=['project', 'retired_at'], name='review_gold_of_project'),
        ),
        migrations.AddConstraint(
            model_name='golditem',
            constraint=models.CheckConstraint(condition=models.Q(('rating_low__lte', models.F('rating_high'))), name='review_gold_rating_range'),
        ),
        migrations.AddIndex(
            model_name='goldplace',
            index=models.Index(fields=['reviewer', 'claimed_at'], name='review_gold_of_reviewer'),
        ),
        migrations.AddConstraint(
            model_name='goldplace',
            constraint=models.UniqueConstraint(fields=('gold', 'reviewer'), name='review_gold_once'),
        ),
    ]
