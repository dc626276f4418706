import annotation.kinds
import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('corpus', '0001_initial'),
        ('projects', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='HandOver',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('moved', models.JSONField(default=dict)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('undone_at', models.DateTimeField(blank=True, null=True)),
                ('actor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('leaver', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='projects.project')),
                ('receiver', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'handover',
                'verbose_name_plural': 'handovers',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Item',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('task', models.CharField(choices=annotation.kinds.task_choices, max_length=20, verbose_name='task')),
                ('style', models.CharField(choices=[('human', 'human style'), ('machine', 'machine style')], default='human', max_length=10, verbose_name='style')),
                ('state', models.CharField(choices=[('draft', 'draft'), ('in_review', 'in review'), ('in_verification', 'in verification'), ('in_adjudication', 'in adjudication'), ('returned', 'returned'), ('verified', 'verified'), ('rejected', 'rejected'), ('withdrawn', 'withdrawn'), ('retired', 'retired')], max_length=20, verbose_name='state')),
                ('ref', models.CharField(blank=True, max_length=200, verbose_name='source ID')),
                ('generators', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=200), blank=True, default=list, size=None)),
                ('offered_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='items', to='projects.project')),
                ('story', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='items', to='corpus.story')),
                ('writer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='items', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'item',
                'verbose_name_plural': 'items',
                'ordering': ['id'],
                'indexes': [models.Index(fields=['project', 'state', 'id'], name='annotation_item_by_state'), models.Index(fields=['writer', 'project', 'state'], name='annotation_item_by_writer'), models.Index(condition=models.Q(('state__in', ('draft', 'withdrawn', 'rejected')), _negated=True), fields=['project', 'task', 'story', 'writer'], name='annotation_item_owed')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('ref', ''), _negated=True), fields=('project', 'task', 'ref'), name='annotation_item_ref'), models.CheckConstraint(condition=models.Q(('state__in', ('draft', 'in_review', 'in_verification', 'in_adjudication', 'returned', 'verified', 'rejected', 'withdrawn', 'retired'))), name='annotation_item_state_exists')],
            },
        ),
        migrations.CreateModel(
            name='Pilot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100, verbose_name='name')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('guideline', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='projects.guideline')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='projects.project')),
                ('writers', models.ManyToManyField(related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'pilot',
                'verbose_name_plural': 'pilots',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Revision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(verbose_name='revision')),
                ('stem', models.TextField(verbose_name='stem')),
                ('explanation', models.TextField(blank=True, verbose_name='explanation')),
                ('answered_warnings', models.JSONField(blank=True, default=dict, verbose_name='explained warnings')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='revisions', to=settings.AUTH_USER_MODEL)),
                ('based_on', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.revision')),
                ('guideline', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='projects.guideline')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='revisions', to='annotation.item')),
                ('story_revision', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='item_revisions', to='corpus.storyrevision')),
            ],
            options={
                'verbose_name': 'revision',
                'verbose_name_plural': 'revisions',
                'ordering': ['item', 'number'],
                'constraints': [models.UniqueConstraint(fields=('item', 'number'), name='annotation_revision_number')],
            },
        ),
        migrations.CreateModel(
            name='ItemDraft',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('task', models.CharField(choices=annotation.kinds.task_choices, max_length=20)),
                ('style', models.CharField(choices=[('human', 'human style'), ('machine', 'machine style')], default='human', max_length=10)),
                ('client_id', models.UUIDField()),
                ('sequence', models.PositiveBigIntegerField(default=0)),
                ('content', models.JSONField(default=dict)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('active_seconds', models.PositiveIntegerField(default=0)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('deleted_at', models.DateTimeField(blank=True, null=True)),
                ('item', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='drafts', to='annotation.item')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='drafts', to='projects.project')),
                ('story', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='drafts', to='corpus.story')),
                ('writer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='drafts', to=settings.AUTH_USER_MODEL)),
                ('submitted_as', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.revision')),
            ],
            options={
                'verbose_name': 'draft',
                'verbose_name_plural': 'drafts',
                'indexes': [models.Index(condition=models.Q(('deleted_at', None), ('submitted_as', None)), fields=['writer', 'project', '-updated_at'], name='annotation_live_drafts'), models.Index(fields=['client_id'], name='annotation_draft_by_client_id')],
                'constraints': [models.UniqueConstraint(fields=('writer', 'client_id'), name='annotation_draft_client_id'), models.UniqueConstraint(condition=models.Q(('deleted_at', None), ('submitted_as', None)), fields=('item', 'writer'), name='annotation_one_draft_per_item')],
            },
        ),
        migrations.AddField(
            model_name='item',
            name='current',
            field=models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.revision'),
        ),
        migrations.CreateModel(
            name='Comment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField(max_length=4000, verbose_name='comment')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='comments', to='annotation.item')),
                ('revision', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.revision')),
            ],
            options={
                'verbose_name': 'comment',
                'verbose_name_plural': 'comments',
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='RevisionAuthor',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('revision', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='author_links', to='annotation.revision')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'author of a revision',
                'verbose_name_plural': 'authors of revisions',
                'constraints': [models.UniqueConstraint(fields=('revision', 'user'), name='annotation_revision_author_once')],
            },
        ),
        migrations.CreateModel(
            name='RevisionType',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('revision', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='type_links', to='annotation.revision')),
                ('type', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='projects.commonsensetype')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('revision', 'type'), name='annotation_revision_type_once')],
            },
        ),
        migrations.AddField(
            model_name='revision',
            name='types',
            field=models.ManyToManyField(related_name='+', through='annotation.RevisionType', to='projects.commonsensetype'),
        ),
        migrations.CreateModel(
            name='Transition',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('from_state', models.CharField(blank=True, max_length=20)),
                ('to_state', models.CharField(choices=[('draft', 'draft'), ('in_review', 'in review'), ('in_verification', 'in verification'), ('in_adjudication', 'in adjudication'), ('returned', 'returned'), ('verified', 'verified'), ('rejected', 'rejected'), ('withdrawn', 'withdrawn'), ('retired', 'retired')], max_length=20)),
                ('cause', models.CharField(choices=[('written', 'submitted by the writer'), ('revised', 'revised by the writer'), ('imported', 'imported'), ('reworded_by_import', 'changed by an import'), ('withdrawn', 'withdrawn'), ('retired', 'retired'), ('another_look', 'sent for re-review'), ('contested', 'rejection contested by the writer'), ('contested_edit', "reviewer's edit contested by the writer"), ('wrong_blind_answer', 'a blind answer differed from the key'), ('all_reject', 'rejected in review'), ('all_return', 'returned to the writer'), ('all_pass', 'passed in review'), ('below_pass_rating', 'a rating was below the pass mark'), ('edit_adopted', "a reviewer's edit was adopted"), ('split', 'the reviewers disagreed'), ('verifier_pass', 'confirmed in verification'), ('verifier_reject', 'rejected in verification'), ('verifier_return', 'returned in verification'), ('ruled_pass', 'adjudicated: upheld'), ('ruled_send_on', 'adjudicated: sent to verification'), ('ruled_return', 'adjudicated: returned to the writer'), ('ruled_reject', 'adjudicated: rejected')], max_length=30)),
                ('reason', models.TextField(blank=True)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('actor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='transitions', to='annotation.item')),
                ('revision', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='transitions', to='annotation.revision')),
            ],
            options={
                'verbose_name': 'state change',
                'verbose_name_plural': 'state changes',
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='WritingAssignment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('source', models.CharField(choices=[('pulled', 'taken by the writer'), ('named', 'assigned by a manager')], default='pulled', max_length=10)),
                ('due_on', models.DateField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('given_back_at', models.DateTimeField(blank=True, null=True)),
                ('story', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='corpus.story')),
                ('writer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'writing assignment',
                'verbose_name_plural': 'writing assignments',
                'indexes': [models.Index(fields=['writer', 'story'], name='annotation_assigned_to')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('given_back_at', None)), fields=('story', 'writer'), name='annotation_assigned_once')],
            },
        ),
        migrations.CreateModel(
            name='WritingPlaces',
            fields=[
                ('story', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='places', serialize=False, to='corpus.story')),
                ('writers', models.PositiveSmallIntegerField(default=0)),
                ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='projects.project')),
            ],
            options={
                'indexes': [models.Index(fields=['project', 'writers', 'story'], name='annotation_fewest_writers')],
            },
        ),
        migrations.CreateModel(
            name='DraftContributor',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('draft', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='contributors', to='annotation.itemdraft')),
            ],
            options={
                'verbose_name': 'contributor to a draft',
                'verbose_name_plural': 'contributors to drafts',
                'constraints': [models.UniqueConstraint(fields=('draft', 'user'), name='annotation_draft_contributor_once')],
            },
        ),
        migrations.CreateModel(
            name='KeyExposure',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('task', models.CharField(choices=annotation.kinds.task_choices, max_length=20)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('item', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='exposures', to='annotation.item')),
                ('story', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='exposures', to='corpus.story')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'story', 'task'), name='annotation_one_exposure'), models.UniqueConstraint(fields=('user', 'item'), name='annotation_one_exposure_to_item'), models.CheckConstraint(condition=models.Q(models.Q(('item__isnull', True), ('story__isnull', False)), models.Q(('item__isnull', False), ('story__isnull', True)), _connector='OR'), name='annotation_exposed_to_story_or_item')],
            },
        ),
        migrations.CreateModel(
            name='PilotStory',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('note', models.TextField(blank=True, max_length=20000, verbose_name='notes')),
                ('pilot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='links', to='annotation.pilot')),
                ('story', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='corpus.story')),
            ],
            options={
                'verbose_name': 'story of a pilot',
                'verbose_name_plural': 'stories of pilots',
                'constraints': [models.UniqueConstraint(fields=('pilot', 'story'), name='annotation_pilot_story_once')],
            },
        ),
        migrations.CreateModel(
            name='Option',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('text', models.TextField(verbose_name='text')),
                ('normalised', models.TextField(editable=False)),
                ('is_key', models.BooleanField(default=False, verbose_name='is the key')),
                ('revision', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='options', to='annotation.revision')),
            ],
            options={
                'verbose_name': 'option',
                'verbose_name_plural': 'options',
                'ordering': ['revision', 'position'],
                'constraints': [models.UniqueConstraint(models.F('revision'), django.db.models.functions.text.MD5('normalised'), name='annotation_options_distinct'), models.UniqueConstraint(fields=('revision', 'position'), name='annotation_option_position'), models.UniqueConstraint(condition=models.Q(('is_key', True)), fields=('revision',), name='annotation_one_key')],
            },
        ),
        migrations.AddConstraint(
            model_name='item',
            constraint=models.CheckConstraint(condition=models.Q(('current__isnull', False), ('state__in', ['draft', 'withdrawn']), _connector='OR'), name='annotation_only_drafts_lack_a_revision'),
        ),
    ]
