import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
import projects.models
from decimal import Decimal
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Project',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(help_text='Used in URLs and item IDs; cannot be changed later.', max_length=40, unique=True, validators=[django.core.validators.RegexValidator('^[a-z0-9][a-z0-9-]*$', 'Use lowercase letters, digits and hyphens.')], verbose_name='short name')),
                ('name', models.CharField(max_length=120, verbose_name='name')),
                ('language', models.CharField(choices=[('zh', 'Chinese'), ('en', 'English')], max_length=10, verbose_name='language of the stories')),
                ('currency', models.CharField(default='CNY', max_length=3, verbose_name='currency')),
                ('licence', models.CharField(blank=True, max_length=120, verbose_name='item licence')),
                ('description', models.TextField(blank=True, max_length=4000, verbose_name='description')),
                ('moral_stem', models.CharField(max_length=400, verbose_name='standard stem of moral items')),
                ('writers_per_story', models.PositiveSmallIntegerField(default=2, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(50)], verbose_name='writers per story')),
                ('items_per_writer', models.PositiveSmallIntegerField(default=4, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(50)], verbose_name='commonsense items per writer and story')),
                ('most_stories_in_hand', models.PositiveSmallIntegerField(default=0, validators=[django.core.validators.MaxValueValidator(1000)], verbose_name='unfinished stories per writer, at most')),
                ('most_items_per_person', models.PositiveSmallIntegerField(default=0, validators=[django.core.validators.MaxValueValidator(30000)], verbose_name='commonsense items per writer, at most')),
                ('days_to_write', models.PositiveSmallIntegerField(default=0, validators=[django.core.validators.MaxValueValidator(365)], verbose_name='days to write about a story')),
                ('options_per_item', models.PositiveSmallIntegerField(default=4, validators=[django.core.validators.MinValueValidator(2), django.core.validators.MaxValueValidator(8)], verbose_name='options per item')),
                ('machine_items_per_story', models.PositiveSmallIntegerField(default=2, validators=[django.core.validators.MaxValueValidator(20)], verbose_name='machine-style moral items per story')),
                ('reviews_per_item', models.PositiveSmallIntegerField(default=1, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(20)], verbose_name='reviews per item')),
                ('max_rating', models.PositiveSmallIntegerField(default=projects.models.highest_rating, verbose_name='highest rating')),
                ('plan_overlap', models.BooleanField(default=True, verbose_name='second reviews, drawn')),
                ('gold_rate', models.PositiveSmallIntegerField(default=0, validators=[django.core.validators.MaxValueValidator(50)], verbose_name='practice items, in percent')),
                ('pass_rating', models.PositiveSmallIntegerField(default=1, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(10)], verbose_name='pass mark')),
                ('reviewer_may_verify', models.BooleanField(default=False, help_text='For small teams. Writers never review their own items. Stated in the data card.', verbose_name='reviewers may also verify')),
                ('lease_minutes', models.PositiveSmallIntegerField(default=30, validators=[django.core.validators.MinValueValidator(2), django.core.validators.MaxValueValidator(480)], verbose_name='time to review an item, in minutes')),
                ('split_rule', models.CharField(choices=[('story', 'whole stories'), ('item', 'single items')], default='story', max_length=10, verbose_name='dev and test by')),
                ('rate_item', models.DecimalField(decimal_places=2, default=Decimal('0'), max_digits=10, validators=[django.core.validators.MinValueValidator(Decimal('0'))], verbose_name='per submitted item')),
                ('rate_verified', models.DecimalField(decimal_places=2, default=Decimal('0'), max_digits=10, validators=[django.core.validators.MinValueValidator(Decimal('0'))], verbose_name='per verified item')),
                ('rate_review', models.DecimalField(decimal_places=2, default=Decimal('0'), max_digits=10, validators=[django.core.validators.MinValueValidator(Decimal('0'))], verbose_name='per review, verification or ruling')),
                ('rate_hour', models.DecimalField(decimal_places=2, default=Decimal('0'), max_digits=10, validators=[django.core.validators.MinValueValidator(Decimal('0'))], verbose_name='per hour of active work')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created at')),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='created by')),
            ],
            options={
                'verbose_name': 'project',
                'verbose_name_plural': 'projects',
                'ordering': ['name'],
                'constraints': [models.CheckConstraint(condition=models.Q(('options_per_item__gte', 2), ('options_per_item__lte', 8)), name='projects_options_between_2_and_8'), models.CheckConstraint(condition=models.Q(('reviews_per_item__gte', 1)), name='projects_at_least_one_review'), models.CheckConstraint(condition=models.Q(('pass_rating__gte', 1), ('pass_rating__lte', models.F('max_rating'))), name='projects_pass_rating_on_scale')],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=projects.models.roles, max_length=10, verbose_name='role')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('begun_at', models.DateTimeField(blank=True, null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='memberships', to='projects.project')),
            ],
            options={
                'verbose_name': 'membership',
                'verbose_name_plural': 'memberships',
                'constraints': [models.UniqueConstraint(fields=('project', 'user', 'role'), name='projects_one_membership_per_role')],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=150, verbose_name='name')),
                ('roles', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=projects.models.roles, max_length=10), size=None, verbose_name='roles')),
                ('token_hash', models.CharField(max_length=64, unique=True)),
                ('expires_at', models.DateTimeField(verbose_name='expires at')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('accepted_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('accepted_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='invitations', to='projects.project')),
            ],
            options={
                'verbose_name': 'invitation',
                'verbose_name_plural': 'invitations',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Guideline',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(verbose_name='version')),
                ('text', models.TextField(verbose_name='text')),
                ('published_at', models.DateTimeField(auto_now_add=True)),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='guidelines', to='projects.project')),
            ],
            options={
                'verbose_name': 'guideline',
                'verbose_name_plural': 'guidelines',
                'ordering': ['-number'],
                'constraints': [models.UniqueConstraint(fields=('project', 'number'), name='projects_guideline_number')],
            },
        ),
        migrations.CreateModel(
            name='CommonsenseType',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.SlugField(max_length=30, verbose_name='code')),
                ('name_zh', models.CharField(max_length=40, verbose_name='Chinese name')),
                ('name_en', models.CharField(max_length=40, verbose_name='English name')),
                ('meaning_zh', models.TextField(blank=True, verbose_name='description in Chinese')),
                ('meaning_en', models.TextField(blank=True, verbose_name='description in English')),
                ('order', models.PositiveSmallIntegerField(default=0)),
                ('retired_at', models.DateTimeField(blank=True, null=True)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='commonsense_types', to='projects.project')),
            ],
            options={
                'verbose_name': 'commonsense type',
                'verbose_name_plural': 'commonsense types',
                'ordering': ['order', 'code'],
                'constraints': [models.UniqueConstraint(fields=('project', 'code'), name='projects_type_code')],
            },
        ),
        migrations.CreateModel(
            name='GuidelineAcknowledgement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('guideline', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='acknowledgements', to='projects.guideline')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('guideline', 'user'), name='projects_one_acknowledgement')],
            },
        ),
    ]
