import annotation.kinds
import django.contrib.postgres.fields
import django.contrib.postgres.functions
import django.db.models.deletion
import django.db.models.manager
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('annotation', '0001_initial'),
        ('corpus', '0001_initial'),
        ('projects', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='GoldItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('task', models.CharField(choices=annotation.kinds.task_choices, max_length=20)),
                ('words', models.JSONField()),
                ('expected_answer', models.CharField(choices=[('option', 'one option'), ('none_fits', 'None of these'), ('several_fit', 'More than one')], max_length=12)),
                ('expected_positions', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(), blank=True, default=list, size=None)),
                ('rating_low', models.PositiveSmallIntegerField()),
                ('rating_high', models.PositiveSmallIntegerField()),
                ('expected_flaws', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('no_right_option', 'no correct option'), ('two_right_options', 'two correct options'), ('answerable_without_story', 'answerable without the story'), ('trivial_distractor', 'trivial distractor'), ('wrong_type', 'wrong type'), ('unclear_stem', 'unclear stem'), ('language', 'language'), ('not_common_sense', 'not common sense'), ('other', 'other')], max_length=30), blank=True, default=list, size=None)),
                ('dispositions', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('pass', 'pass'), ('edit', 'edit'), ('return', 'return to the writer'), ('reject', 'reject'), ('send_on', 'send to verification')], max_length=10), size=None)),
                ('lesson', models.TextField(max_length=4000)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('retired_at', models.DateTimeField(blank=True, null=True)),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('made_from', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.item')),
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
            name='Review',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('stage', models.CharField(choices=[('cross_check', 'review'), ('verification', 'verification'), ('adjudication', 'adjudication')], max_length=12)),
                ('answer', models.CharField(blank=True, choices=[('option', 'one option'), ('none_fits', 'None of these'), ('several_fit', 'More than one')], max_length=12)),
                ('drawn_order', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(), blank=True, default=list, size=None)),
                ('chosen_position', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('several_positions', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(), blank=True, default=list, size=None)),
                ('is_correct', models.BooleanField(null=True)),
                ('blind', models.BooleanField(default=True)),
                ('slip', models.BooleanField(default=False)),
                ('solved_at', models.DateTimeField(blank=True, null=True)),
                ('rating', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('flaws', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('no_right_option', 'no correct option'), ('two_right_options', 'two correct options'), ('answerable_without_story', 'answerable without the story'), ('trivial_distractor', 'trivial distractor'), ('wrong_type', 'wrong type'), ('unclear_stem', 'unclear stem'), ('language', 'language'), ('not_common_sense', 'not common sense'), ('other', 'other')], max_length=30), blank=True, default=list, size=None)),
                ('comment', models.TextField(blank=True, max_length=4000)),
                ('disposition', models.CharField(blank=True, choices=[('pass', 'pass'), ('edit', 'edit'), ('return', 'return to the writer'), ('reject', 'reject'), ('send_on', 'send to verification')], max_length=10)),
                ('proposed_edit', models.JSONField(blank=True, null=True)),
                ('option_marks', django.contrib.postgres.fields.ArrayField(base_field=models.BooleanField(), blank=True, default=list, size=None)),
                ('sent_at', models.DateTimeField(blank=True, null=True)),
                ('judged_at', models.DateTimeField(blank=True, null=True)),
                ('late_at', models.DateTimeField(blank=True, null=True)),
                ('seconds', models.PositiveIntegerField(default=0)),
                ('active_seconds', models.PositiveIntegerField(db_default=0, default=0)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('adopted_as', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.revision')),
                ('chosen_option', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.option')),
                ('guideline', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='projects.guideline')),
                ('item', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reviews', to='annotation.item')),
                ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reviews', to=settings.AUTH_USER_MODEL)),
                ('revision', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reviews', to='annotation.revision')),
            ],
            options={
                'verbose_name': 'review',
                'verbose_name_plural': 'reviews',
                'ordering': ['id'],
                'base_manager_name': 'everything',
            },
            managers=[
                ('objects', django.db.models.manager.Manager()),
                ('everything', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='PracticeResult',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('findings', models.JSONField()),
                ('is_right', models.BooleanField()),
                ('lesson_seen_at', models.DateTimeField(blank=True, null=True)),
                ('review', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='result', to='review.review')),
            ],
            options={
                'verbose_name': 'practice result',
                'verbose_name_plural': 'practice results',
            },
        ),
        migrations.CreateModel(
            name='ReviewRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(db_default=django.contrib.postgres.functions.RandomUUID(), editable=False, unique=True)),
                ('stage', models.CharField(choices=[('cross_check', 'review'), ('verification', 'verification'), ('adjudication', 'adjudication')], max_length=12)),
                ('place', models.PositiveSmallIntegerField()),
                ('option_count', models.PositiveSmallIntegerField()),
                ('state', models.CharField(choices=[('open', 'available'), ('claimed', 'claimed'), ('done', 'done'), ('closed', 'closed without a verdict')], default='open', max_length=8)),
                ('priority', models.SmallIntegerField(default=0)),
                ('task', models.CharField(choices=annotation.kinds.task_choices, max_length=20)),
                ('barred', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), blank=True, default=list, size=None)),
                ('bar_key', models.GeneratedField(db_persist=True, expression=models.Func(models.F('barred'), models.Value(0), function='hash_array_extended'), output_field=models.BigIntegerField())),
                ('claimed_at', models.DateTimeField(blank=True, null=True)),
                ('lease_expires_at', models.DateTimeField(blank=True, null=True)),
                ('active_seconds', models.PositiveIntegerField(db_default=0, default=0)),
                ('freed_order', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(), blank=True, default=list, size=None)),
                ('drawn_order', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(), blank=True, default=list, size=None)),
                ('opened_at', models.DateTimeField(auto_now_add=True)),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('claimed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('dealt_to', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('freed_from', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('gold', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='requests', to='review.golditem')),
                ('item', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='review_requests', to='annotation.item')),
                ('opened_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.transition')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='projects.project')),
                ('revision', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='review_requests', to='annotation.revision')),
                ('story', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='corpus.story')),
            ],
            options={
                'verbose_name': 'review request',
                'verbose_name_plural': 'review requests',
                'base_manager_name': 'everything',
            },
            managers=[
                ('objects', django.db.models.manager.Manager()),
                ('everything', django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddField(
            model_name='review',
            name='request',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reviews', to='review.reviewrequest'),
        ),
        migrations.CreateModel(
            name='Postponement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('request', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='review.reviewrequest')),
            ],
            options={
                'verbose_name': 'postponed item',
                'verbose_name_plural': 'postponed items',
            },
        ),
        migrations.CreateModel(
            name='Deputy',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('named_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('request', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deputies', to='review.reviewrequest')),
            ],
            options={
                'verbose_name': 'deputy',
                'verbose_name_plural': 'deputies',
            },
        ),
        migrations.CreateModel(
            name='ReviewStatistics',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('counted_at', models.DateTimeField(blank=True, null=True)),
                ('counted_upto', models.BigIntegerField(default=0)),
                ('figures', models.JSONField(default=dict)),
                ('project', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='projects.project')),
            ],
            options={
                'verbose_name': 'review statistics',
                'verbose_name_plural': 'review statistics',
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
            model_name='reviewrequest',
            index=models.Index(models.F('project'), models.F('stage'), models.OrderBy(models.F('priority'), descending=True), models.F('id'), condition=models.Q(('state', 'open')), name='review_open_places'),
        ),
        migrations.AddIndex(
            model_name='reviewrequest',
            index=models.Index(condition=models.Q(('state', 'open')), fields=['project', 'stage', 'priority', 'bar_key', 'id'], name='review_open_groups'),
        ),
        migrations.AddIndex(
            model_name='reviewrequest',
            index=models.Index(condition=models.Q(('state', 'open')), fields=['story', 'stage', 'id'], name='review_open_of_story'),
        ),
        migrations.AddIndex(
            model_name='reviewrequest',
            index=models.Index(condition=models.Q(('state', 'open')), fields=['project', 'stage', '-opened_at'], name='review_opened'),
        ),
        migrations.AddIndex(
            model_name='reviewrequest',
            index=models.Index(condition=models.Q(('state', 'claimed')), fields=['project', 'stage', 'lease_expires_at'], name='review_held'),
        ),
        migrations.AddIndex(
            model_name='reviewrequest',
            index=models.Index(condition=models.Q(('state', 'claimed')), fields=['lease_expires_at'], name='review_leases'),
        ),
        migrations.AddIndex(
            model_name='reviewrequest',
            index=models.Index(condition=models.Q(('state', 'claimed')), fields=['claimed_by', 'project'], name='review_claims'),
        ),
        migrations.AddIndex(
            model_name='reviewrequest',
            index=models.Index(condition=models.Q(('gold__isnull', False)), fields=['gold'], name='review_of_gold'),
        ),
        migrations.AddConstraint(
            model_name='reviewrequest',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('item__isnull', False), ('opened_by__isnull', False), ('revision__isnull', False), ('dealt_to', None), ('gold', None)), models.Q(('dealt_to__isnull', False), ('gold__isnull', False), ('item', None), ('opened_by', None), ('revision', None), models.Q(('state', 'open'), _negated=True)), _connector='OR'), name='review_of_a_revision_or_practice'),
        ),
        migrations.AddConstraint(
            model_name='reviewrequest',
            constraint=models.UniqueConstraint(condition=models.Q(('gold__isnull', False)), fields=('dealt_to', 'gold'), name='review_practice_once'),
        ),
        migrations.AddConstraint(
            model_name='reviewrequest',
            constraint=models.UniqueConstraint(fields=('revision', 'stage', 'place'), name='review_place_once'),
        ),
        migrations.AddConstraint(
            model_name='reviewrequest',
            constraint=models.UniqueConstraint(condition=models.Q(('claimed_by__isnull', False)), fields=('revision', 'stage', 'claimed_by'), name='review_one_place_per_person'),
        ),
        migrations.AddConstraint(
            model_name='reviewrequest',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('claimed_by__isnull', False), ('lease_expires_at__isnull', False), ('state', 'claimed')), models.Q(('claimed_by__isnull', False), ('state', 'done')), models.Q(('claimed_by__isnull', True), ('state__in', ['open', 'closed'])), _connector='OR'), name='review_claimed_by_somebody_until'),
        ),
        migrations.AddIndex(
            model_name='review',
            index=models.Index(fields=['reviewer', 'judged_at'], name='review_by_reviewer'),
        ),
        migrations.AddIndex(
            model_name='review',
            index=models.Index(condition=models.Q(('judged_at', None), ('late_at', None), ('sent_at__isnull', False)), fields=['reviewer'], name='review_to_carry_out'),
        ),
        migrations.AddConstraint(
            model_name='review',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('item__isnull', False), ('revision__isnull', False)), models.Q(('item', None), ('revision', None)), _connector='OR'), name='review_of_an_item_with_its_revision'),
        ),
        migrations.AddConstraint(
            model_name='review',
            constraint=models.UniqueConstraint(condition=models.Q(('revision', None)), fields=('request',), name='review_of_practice_once'),
        ),
        migrations.AddConstraint(
            model_name='review',
            constraint=models.UniqueConstraint(fields=('revision', 'stage', 'reviewer'), name='review_once'),
        ),
        migrations.AddConstraint(
            model_name='review',
            constraint=models.UniqueConstraint(condition=models.Q(('judged_at__isnull', False)), fields=('request',), name='review_one_verdict_per_place'),
        ),
        migrations.AddConstraint(
            model_name='review',
            constraint=models.CheckConstraint(condition=models.Q(('judged_at', None), models.Q(('disposition', ''), _negated=True), _connector='OR'), name='review_judged_with_a_disposition'),
        ),
        migrations.AddConstraint(
            model_name='review',
            constraint=models.CheckConstraint(condition=models.Q(('judged_at', None), ('solved_at__isnull', False), ('stage', 'adjudication'), _connector='OR'), name='review_solved_before_judged'),
        ),
        migrations.AddConstraint(
            model_name='postponement',
            constraint=models.UniqueConstraint(fields=('user', 'request'), name='review_postponed_once'),
        ),
        migrations.AddConstraint(
            model_name='deputy',
            constraint=models.UniqueConstraint(fields=('person', 'request'), name='review_deputy_once'),
        ),
    ]
